// Reading and checking data in the form that Stan takes: a JSON object of numbers, arrays and arrays of rows.
#include <algorithm>

#include "data_format.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

namespace {

/// Numbers with their places: one, a list, or rows of equal length.
struct Field {
  std::string name;
  Place place;
  enum class Shape { number, list, rows } shape = Shape::number;
  std::size_t rows = 0;
  std::size_t columns = 1;
  std::vector<double> values;  // row by row
  std::vector<Place> places;
};

class Reader {
 public:
  Reader(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  std::vector<Field> read() {
    std::vector<Field> fields;
    skip_blanks();
    expect('{', R"(the file is one object, such as {"y": [1, 2], "sigma": [3, 4]})");
    if (!takes('}')) {
      do fields.push_back(read_field(fields));
      while (takes(','));
      expect('}', "fields are separated by commas, and } ends the object");
    }
    skip_blanks();
    if (at_ < text_.size()) refuse(place_, quoted(next_word()) + " follows the object", "one object is the whole file");
    return fields;
  }

 private:
  [[noreturn]] void refuse(Place place, const std::string& problem, const std::string& why,
                           const std::string& advice = "correct the file") const {
    throw Error(where(place) + ": " + problem, why, advice);
  }
  [[nodiscard]] std::string where(Place place) const {
    return "data file " + path_ + ", line " + std::to_string(place.line) + ", column " + std::to_string(place.column);
  }

  void advance() {
    if (text_[at_] == '\n') {
      ++place_.line;
      place_.column = 1;
    } else if ((static_cast<unsigned char>(text_[at_]) & 0xC0U) != 0x80U) {  // not inside a character of UTF-8
      ++place_.column;
    }
    ++at_;
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) advance();
  }
  /// Skips blanks and takes `c` if it is next.
  bool takes(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    advance();
    return true;
  }
  void expect(char c, const std::string& why) {
    if (takes(c)) return;
    refuse(place_, quoted({&c, 1}) + " is missing before " + found(), why);
  }
  [[nodiscard]] std::string found() const { return at_ == text_.size() ? "the end of the file" : quoted(next_word()); }
  /// Up to the next blank or punctuation; at least one character.
  [[nodiscard]] std::string_view next_word() const {
    const auto end = std::min(text_.find_first_of(" \t\r\n,:[]{}", at_), text_.size());
    return text_.substr(at_, std::max<std::size_t>(end - at_, 1));
  }

  Field read_field(const std::vector<Field>& before) {
    skip_blanks();
    Field field{.name = {}, .place = place_, .values = {}, .places = {}};
    expect('"', "a field begins with its name in quotes");
    const auto end = text_.find_first_of("\"\\\n", at_);
    if (end == std::string_view::npos || text_[end] != '"') {
      refuse(field.place, "the name of a field does not end on its line", "names are plain text between quotes");
    }
    field.name = std::string(text_.substr(at_, end - at_));
    while (at_ <= end) advance();
    const auto same_name = [&](const Field& other) { return other.name == field.name; };
    if (std::any_of(before.begin(), before.end(), same_name)) {
      refuse(field.place, "there are two fields " + quoted(field.name), "fields are found by name",
             "rename one of them");
    }
    expect(':', "a colon stands between a field's name and its value");
    read_value(field);
    return field;
  }

  void read_value(Field& field) {
    if (!takes('[')) return read_number(field);
    skip_blanks();
    field.shape = at_ < text_.size() && text_[at_] == '[' ? Field::Shape::rows : Field::Shape::list;
    if (takes(']')) return;
    do {
      skip_blanks();
      if (field.shape == Field::Shape::list) {
        read_number(field);
      } else {
        read_row(field);
      }
      ++field.rows;
    } while (takes(','));
    expect(']', "numbers are separated by commas, and ] ends the array");
  }

  void read_row(Field& field) {
    const Place begin = place_;
    const std::size_t before = field.values.size();
    expect('[', quoted(field.name) + " is an array of rows, and a row is an array");
    do read_number(field);
    while (takes(','));
    expect(']', "numbers are separated by commas, and ] ends the row");
    const std::size_t count = field.values.size() - before;
    if (field.rows > 0 && count != field.columns) {
      refuse(begin,
             "row " + std::to_string(field.rows + 1) + " of " + quoted(field.name) + " has " + counted(count, "number"),
             "its first row has " + std::to_string(field.columns), "give every row the same number");
    }
    field.columns = count;
  }

  void read_number(Field& field) {
    skip_blanks();
    if (at_ == text_.size()) {
      refuse(place_, "the file ends where a number is expected", quoted(field.name) + " is not complete");
    }
    const std::string_view word = next_word();
    field.places.push_back(place_);
    field.values.push_back(
        number_of(where(place_) + ": a value of " + quoted(field.name), word, "correct or remove it"));
    for (std::size_t i = 0; i < word.size(); ++i) advance();
  }

  const std::string& path_;
  std::string_view text_;
  std::size_t at_ = 0;
  Place place_;
};

[[noreturn]] void refuse_length(const std::string& path, const Field& field, const std::string& problem,
                                const Field& other) {
  throw Error("data file " + path + ", line " + std::to_string(field.place.line) + ", column " +
                  std::to_string(field.place.column) + ": " + quoted(field.name) + " " + problem,
              quoted(other.name) + " has " + counted(other.rows, "row"), "make them agree");
}

}  // namespace

DataTable parse_json(const std::string& path, std::string_view text) {
  const std::vector<Field> fields = Reader(path, text).read();
  const auto is_array = [](const Field& field) { return field.shape != Field::Shape::number; };
  const auto first = std::find_if(fields.begin(), fields.end(), is_array);
  if (first == fields.end()) {
    throw Error("data file " + path + " has no array", "its arrays are the data", "check the file");
  }
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::vector<std::vector<Place>> places;
  for (const Field& field : fields) {
    if (!is_array(field)) {
      if ((field.name == "N" || field.name == "J") && field.values[0] != static_cast<double>(first->rows)) {
        refuse_length(path, field, "is not the number of rows", *first);
      }
      continue;
    }
    if (field.rows != first->rows) refuse_length(path, field, "has " + counted(field.rows, "row"), *first);
    for (std::size_t c = 0; c < field.columns; ++c) {
      names.push_back(field.shape == Field::Shape::rows ? field.name + "[" + std::to_string(c) + "]" : field.name);
      columns.emplace_back();
      places.emplace_back();
      for (std::size_t i = c; i < field.values.size(); i += field.columns) {
        columns.back().push_back(field.values[i]);
        places.back().push_back(field.places[i]);
      }
    }
  }
  DataTable table(path, std::move(names), std::move(columns), std::move(places));
  table.require_rows(1);
  return table;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
