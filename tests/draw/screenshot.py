# SPDX-License-Identifier: GPL-2.0
"""screenshot.py SVG WORD PNG: saves what a browser shows after a search in a flame graph."""
import base64
import sys

from browser import CONTROL, Browser


def main(svg, word, png):
    with Browser() as browser:
        browser.open(svg)
        height = browser.run("return document.documentElement.getAttribute('height');")
        browser.call('POST', '/window/rect', width=1300, height=int(height) + 150)
        browser.press(CONTROL, 'f')
        browser.type('#word', word)
        image = browser.call('GET', '/screenshot')
    with open(png, 'wb') as file:
        file.write(base64.b64decode(image))


main(*sys.argv[1:])
