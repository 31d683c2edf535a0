# SPDX-License-Identifier: Apache-2.0
"""What was measured, as lines of a table: for the terminal, and for a document between two markers."""
import pathlib
import statistics

SCALES = {'iops': (1, ' /s'), 'throughput': (1e-6, ' MB/s'), 'cpu': (1e6, ' us')}
SECONDS = (1e6, ' us')
TITLES = {'iops': 'IOPS', 'cpu': 'CPU per I/O', 'stddev': 'mdev'}
HEADINGS = ('workload', 'against', 'figure', 'ours', 'theirs', 'ratio', 'range', 'target', 'result')
BEGIN, END = '<!-- measured: begin -->', '<!-- measured: end -->'


def figure_text(figure, value):
    scale, unit = SCALES.get(figure, SECONDS)
    value *= scale
    return (f'{value:,.0f}' if value >= 100 else f'{value:.3g}') + unit


def check_line(row, check, pairs):
    """One line: medians of both sides, and the median, least and largest of the pairs' ratios."""
    ours = [pair[0].get(check.figure) for pair in pairs]
    theirs = [check.truth or pair[1].get(check.figure) for pair in pairs]
    against = 'the cap' if check.truth else row.against
    line = {'workload': row.name, 'against': against, 'figure': TITLES.get(check.figure, check.figure),
            'target': check.target}
    if None in ours or None in theirs or 0 in theirs:
        return {**line, 'result': 'SKIPPED', 'reason': 'too few I/Os for this figure'}
    ratios = [mine / other for mine, other in zip(ours, theirs)]
    ratio = statistics.median(ratios)
    return {**line, 'ours': statistics.median(ours), 'theirs': statistics.median(theirs), 'ratio': ratio,
            'ratios': ratios, 'unit': check.figure, 'result': check.verdict(ratio)}


def early_stop_lines(row, measured):
    ios, error = measured['ios'], measured['error']
    ends = ', '.join(f'{count} by {reason}' for reason, count in measured['stopped_by'].items())
    name = f'{row.name}, {measured["runs"]} runs'
    yield {'workload': name, 'against': ends, 'figure': 'I/Os used, min/median/p95/max', 'target': '<= 6,000',
           'text': '/'.join(f'{ios[key]:,.0f}' for key in ('min', 'median', 'p95', 'max')), 'distribution': ios,
           'result': 'met' if ios['max'] <= 6000 else 'missed'}
    yield {'workload': name, 'against': 'the cap', 'figure': 'error of the mean, median/p95/max', 'target': '',
           'text': '/'.join(f'{error[key]:.2%}' for key in ('median', 'p95', 'max')), 'distribution': error,
           'result': ''}


def not_judged(line):
    return {**line, 'result': 'not judged' if line['result'] in ('met', 'missed') else line['result']}


def cells(line):
    result = line['result'] if 'reason' not in line else f'{line["result"]}: {line["reason"]}'
    measured = [line.get('text', ''), '', '', '']
    if 'ratio' in line:
        measured = [figure_text(line['unit'], line['ours']), figure_text(line['unit'], line['theirs']),
                    f'{line["ratio"]:.3f}', f'{min(line["ratios"]):.2f}-{max(line["ratios"]):.2f}']
    return [line['workload'], line.get('against', ''), line.get('figure', ''), *measured, line.get('target', ''), result]


def table(lines):
    """For a terminal: columns as wide as what is in them."""
    grid = [list(HEADINGS), *(cells(line) for line in lines)]
    widths = [max(len(row[column]) for row in grid) for column in range(len(HEADINGS) - 1)]
    padded = ([*(cell.ljust(width) for cell, width in zip(row, widths)), row[-1]] for row in grid)
    return '\n'.join('  '.join(row).rstrip() for row in padded)


def summary(lines):
    count = {word: sum(line['result'] == word for line in lines) for word in ('met', 'missed', 'SKIPPED', 'FAILED')}
    return ', '.join(f'{number} {word}' for word, number in count.items())


def write_markdown(path, conditions, lines):
    """Replaces what stands between the markers."""
    path = pathlib.Path(path)
    text = path.read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f'{path}: has no lines "{BEGIN}" and "{END}" to write between')
    rows = ['| ' + ' | '.join(HEADINGS) + ' |', '|' + '---|' * len(HEADINGS)]
    rows += ['| ' + ' | '.join(cells(line)) + ' |' for line in lines]
    path.write_text('\n'.join([before + BEGIN, conditions, '', *rows, '', summary(lines) + '.', END + after]))
