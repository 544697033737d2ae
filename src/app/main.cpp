// Runs one command line: finds the verb, and turns every failure into a message and an exit code.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "advise.hpp"
#include "app.hpp"
#include "breakstep/abi.hpp"
#include "breakstep/error.hpp"
#include "check_gradient.hpp"
#include "choice.hpp"
#include "compare.hpp"
#include "fsm.hpp"
#include "list.hpp"
#include "sample.hpp"
#include "sbc.hpp"
#include "stream.hpp"
#include "version.hpp"

namespace breakstep_app {
namespace {

constexpr const char* summary = R"(breakstep: thousands of MCMC chains at once, none waiting for another.

A sampler's loops are turned into a finite state machine, so that chains that run in
the same SIMD instructions need not be in the same loop iteration.)";

constexpr const char* footer = R"(
Examples:
  breakstep list                            what there is to draw from, and with
  breakstep sample --sampler slice --target log-gamma --dimension 2
  breakstep compare --sampler slice --target log-gamma --chains 1024
  breakstep advise --sampler slice --target log-gamma
  breakstep fsm nuts                        the state machine of NUTS
  breakstep fsm "op1W{op1W{op1}}"           the state machine of a program text
  breakstep COMMAND --help                  all about a command

Exit codes: 0 success; 1 breakstep itself is wrong (please report it); 2 the request was wrong
or could not be fulfilled (see the message); 3 this machine lacks the instructions breakstep
was built for.)";

int complain(const std::string& message, int code) {
  std::fprintf(stderr, "breakstep: %s\n", message.c_str());
  return code;
}

std::string version_text() {
  return std::string("breakstep ") + version + (BREAKSTEP_ISA_AVX512 != 0 ? " (avx512)" : " (avx2)") + "\n";
}

// Where to read about the verb that was given, if any.
std::string help_command(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() ? "breakstep --help" : "breakstep " + verbs.front()->get_name() + " --help";
}

breakstep::Error unknown_option(const CLI::App& app, const std::string& option) {
  const auto verbs = app.get_subcommands();
  const CLI::App& asked = verbs.empty() ? app : *verbs.front();
  std::vector<std::string> names;
  for (const CLI::Option* known : asked.get_options()) names.push_back(known->get_name());
  const auto close = close_names(option.substr(0, option.find('=')), names);
  return {"unknown option '" + option + "'",
          verbs.empty() ? "options of a command come after it" : asked.get_name() + " does not have it",
          close.empty() ? help_command(app) + " lists the options" : "did you mean " + listed(close) + "?"};
}

// The arguments that no option or verb took.
breakstep::Error unexpected(const CLI::App& app) {
  const auto extras = app.remaining(true);
  const std::string argument = extras.empty() ? "?" : extras.front();
  if (argument.size() > 1 && argument.front() == '-') return unknown_option(app, argument);
  if (app.get_subcommands().empty()) {
    std::vector<std::string> names;
    for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
    return {"unknown command '" + argument + "'", "the commands are " + listed(names, "and"), "see breakstep --help"};
  }
  if (app.got_subcommand("fsm")) {
    return {"unexpected argument '" + argument + "'", "one program is shown at a time",
            "put quotes around a program that contains blanks"};
  }
  return {"unexpected argument '" + argument + "'", "every value follows the name of its option",
          "see " + help_command(app)};
}

int run_command(int argc, char** argv) {
  CLI::App app(summary, "breakstep");
  app.footer(footer);
  bool wants_version = false;
  app.add_flag("--version", wants_version, "Print the version and the instruction set it was built for");
  app.set_help_flag("-h,--help", "Print this help");
  add_sample(app);
  add_compare(app);
  add_advise(app);
  add_list(app);
  add_check_gradient(app);
  add_sbc(app);
  add_fsm(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    write_to_stdout(app.help());
    return exit_ok;
  } catch (const CLI::ExtrasError&) {
    throw unexpected(app);
  } catch (const CLI::ParseError& error) {
    throw breakstep::Error(
        error.what(), "the command line cannot be read",
        app.get_subcommands().empty() ? "see breakstep --help" : "see breakstep --help or " + help_command(app));
  }
  if (wants_version) {
    write_to_stdout(version_text());
  } else if (app.get_subcommands().empty()) {
    throw breakstep::Error("no command given", "there is nothing to do", "see breakstep --help");
  }
  return exit_ok;
}

}  // namespace

int run(int argc, char** argv) {
  // A reader that goes away must show up as a failed write, with a message, and not end the program silently.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run_command(argc, argv);
  } catch (const breakstep::Error& error) {
    return complain(error.what(), exit_user_error);
  } catch (const std::bad_alloc&) {
    return complain("out of memory (the request needs more than there is): ask for less", exit_user_error);
  } catch (const std::exception& error) {
    return complain(std::string("internal error (") + error.what() + "): please report it", EXIT_FAILURE);
  } catch (...) {
    return complain("internal error (unknown): please report it", EXIT_FAILURE);
  }
}

}  // namespace breakstep_app
