# SPDX-License-Identifier: GPL-2.0
"""A guide: a document whose commands are run, and whose output is what they have printed.

A block between ``` lines that begins with "$ COMMAND" is a console: commands, each with its output
behind it. "> " continues a command. Comments that a reader does not see say how to run them:

    <!-- machine K=6.1 APPEND=... -->  the blocks below run in one shell, in a machine of tests/vm/vm.sh
    <!-- here -->                      the blocks below run in one shell on this host, without the
                                       module, in the folder with the files that machines have left
    <!-- run COMMAND -->               runs a command that the reader has no need of
    <!-- status N -->                  the last command of the next block ends with N instead of 0
    <!-- lines N -->                   the next block shows the first N lines of each output
    <!-- lines N/REGEX -->             ... and of the others those that match
    <!-- picture FILE -->              the guide shows this file, which its commands have written, as
                                       NAME-FILE beside it

Lines that are left out become a line "...".
"""
import re
import shlex

COMMENT = re.compile(r'<!-- (machine|here|run|status|lines|picture)\b ?(.*?) ?-->$')


class Step:
    """A command of a guide, its documented output, and what it printed when it was run."""

    def __init__(self, command, hidden=False):
        self.command, self.hidden = command, hidden
        self.documented, self.printed = [], None
        self.status, self.lines = 0, ''

    def shown(self):
        """Returns the lines of the output that the guide shows."""
        # A document has no spaces at ends of lines.
        lines = [line.rstrip() for line in self.printed.expandtabs().splitlines()]
        if not self.lines:
            return lines
        most, _, pattern = self.lines.partition('/')
        kept = []
        for nr, line in enumerate(lines):
            if nr < int(most) or pattern and re.search(pattern, line):
                kept.append(line)
            elif kept[-1:] != ['...']:
                kept.append('...')
        return kept


class Part:
    """Steps that run in one shell: in a machine with these settings, or here (None)."""

    def __init__(self, settings=None):
        self.settings, self.steps = settings, []


class Guide:
    """The document as text between steps, so that it can be written again."""

    def __init__(self, text):
        self.parts, self.text, self.pictures = [Part()], [], []
        self.folder = None
        lines, options = iter(text.splitlines()), {}
        for line in lines:
            self.text.append(line)
            comment = COMMENT.match(line)
            if comment:
                self.read_comment(comment[1], comment[2], options)
            elif line == '```':
                self.read_block(lines, options)
                options = {}

    def read_comment(self, word, value, options):
        if word == 'machine':
            self.parts.append(Part(shlex.split(value)))
        elif word == 'here':
            self.parts.append(Part())
        elif word == 'run':
            self.parts[-1].steps.append(Step(value, hidden=True))
        elif word == 'picture':
            self.pictures.append(value)
        else:
            options[word] = value

    def read_block(self, lines, options):
        step = None
        for line in lines:
            if line == '```':
                break
            if line.startswith('$ '):
                step = Step(line[2:])
                step.lines = options.get('lines', '')
                self.parts[-1].steps.append(step)
                self.text.append(step)
            elif step and line.startswith('> ') and not step.documented:
                step.command += '\n' + line[2:]
            elif step:
                step.documented.append(line)
            else:
                self.text.append(line)
        if step:
            step.status = int(options.get('status', 0))
        self.text.append('```')

    def steps(self):
        return [step for part in self.parts for step in part.steps]

    def output(self, command, nr=0):
        """Returns what was printed by the shown command NR that begins with these words."""
        found = [step.printed for step in self.steps() if not step.hidden and step.command.startswith(command)]
        assert len(found) > nr, 'the guide has no command %d "%s"' % (nr, command)
        return found[nr]

    def written(self):
        """Returns the document with what was printed."""
        lines = []
        for one in self.text:
            if isinstance(one, Step):
                lines += ['$ ' + one.command.replace('\n', '\n> ')] + one.shown()
            else:
                lines.append(one)
        return '\n'.join(lines) + '\n'
