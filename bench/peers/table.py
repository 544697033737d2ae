"""Results as a text table; plain Python."""


def short(number):
    """Three digits, with thousands and millions in words' place: 12.3 k, 1.23 M."""
    if number is None:
        return "-"
    for unit, suffix in ((1e6, " M"), (1e3, " k")):
        if abs(number) >= unit:
            return f"{number / unit:.3g}{suffix}"
    return f"{number:.3g}"


def render(title, columns, rows):
    """`rows` are lists of texts or numbers; the first and the last column are aligned to the left."""
    texts = [list(columns)] + [[cell if isinstance(cell, str) else short(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in texts) for i in range(len(columns))]

    def line(row):
        cells = [
            cell.ljust(width) if i in (0, len(columns) - 1) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        ]
        return "  ".join(cells).rstrip()

    return "\n".join([title, *map(line, texts)])
