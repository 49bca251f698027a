# SPDX-License-Identifier: GPL-2.0
"""flame.py SVG FOLDED: a browser shows a flame graph: widths, zoom, search, reset."""
import re
import sys

from browser import CONTROL, ESCAPE, KEY, Browser

FRAMES = '''
return Array.from(document.getElementsByClassName('f')).map(function (frame) {
    var box = frame.lastChild.previousSibling.getBoundingClientRect();
    return { name: frame.lastChild.textContent, title: frame.firstChild.textContent,
             left: box.left, width: box.width, top: box.top, all: document.documentElement.clientWidth,
             isShown: getComputedStyle(frame).display !== 'none',
             hasText: getComputedStyle(frame.lastChild).display !== 'none',
             isHit: frame.classList.contains('hit') };
});'''


def frames(browser):
    return browser.run(FRAMES)


RECT = '''
var wanted = arguments[0];
return Array.from(document.getElementsByClassName('f')).filter(function (frame) {
    return frame.lastChild.textContent === wanted;
})[arguments[1]].querySelector('rect');'''


def rect_of(browser, name, at=0):
    """Returns the frame with this name, counted from the outermost caller on."""
    return browser.run(RECT, name, at)[KEY]


def text_of(browser, name):
    return browser.run('return document.getElementById(arguments[0]).textContent;', name)


def shares(path):
    """Returns {path: share of the time} with the paths that are part of longer ones."""
    times = {}
    with open(path) as file:
        for line in file:
            names, ns = line.rsplit(' ', 1)
            names = names.split(';')
            for end in range(1, len(names) + 1):
                at = tuple(names[:end])
                times[at] = times.get(at, 0) + int(ns)
    total = sum(ns for at, ns in times.items() if len(at) == 1)
    return {at: ns / total for at, ns in times.items()}


def is_near(pixels, wanted):
    return abs(pixels - wanted) < 1.5


def check_whole(shown, wanted):
    """Each frame is as wide as its share, and stands above its caller."""
    assert all(frame['isShown'] and not frame['isHit'] for frame in shown), shown
    assert len(shown) == 1 + sum(share >= 0.0002 for share in wanted.values()), (shown, wanted)
    width = shown[0]['all']
    assert shown[0]['name'] == 'all' and is_near(shown[0]['width'], width), shown[0]
    for frame in shown[1:]:
        fits = [at for at, share in wanted.items() if at[-1] == frame['name'].replace(';', ':') and
                is_near(share * width, frame['width'])]
        assert fits, (frame, wanted)
        assert [below for below in shown if is_near(below['top'], frame['top'] + 17) and
                below['left'] < frame['left'] + 1 and
                below['left'] + below['width'] > frame['left'] + frame['width'] - 1], frame
        assert frame['hasText'] or frame['width'] < 24, frame


def check_zoom(browser, whole, name):
    """A click makes the frame and its callers as wide as the picture, and hides what is beside it."""
    browser.click(rect_of(browser, name))
    zoomed = next(frame for frame in whole if frame['name'] == name)
    end = zoomed['left'] + zoomed['width']
    for before, frame in zip(whole, frames(browser)):
        inside = zoomed['left'] - 1 < before['left'] and before['left'] + before['width'] < end + 1
        is_caller = frame['name'] in ('all', 'main')
        assert frame['isShown'] == (inside or is_caller), frame
        if not frame['isShown']:
            continue
        scale = 0 if is_caller else frame['all'] / zoomed['width']
        width = frame['all'] if is_caller else scale * before['width']
        left = scale * (before['left'] - zoomed['left'])
        assert abs(frame['width'] - width) < 5 and abs(frame['left'] - left) < 5, (frame, left, width)


def search(browser, word):
    """Returns what is reported and which frames are marked."""
    browser.press(CONTROL, 'f')
    assert browser.run('return document.activeElement.id;') == 'word'
    browser.type('#word', word)
    return text_of(browser, 'result'), [f['name'] for f in frames(browser) if f['isHit']]


def check_search(browser, wanted):
    """Frames inside of others that match count once."""
    text, hits = search(browser, 'A;B')
    share = 100 * wanted['main', 'a:b']
    assert re.fullmatch(r'2 frames, [0-9.]+ % of the time', text), text
    assert abs(float(text.split()[2]) - share) < 0.01, (text, share)
    assert hits == ['a;b', 'a;b'], hits
    browser.click(browser.find('#reset'))
    assert text_of(browser, 'result') == '' and not any(f['isHit'] for f in frames(browser))
    text, hits = search(browser, '<script>')
    assert text.startswith('1 frame, 17.98 %') and len(hits) == 1, (text, hits)
    browser.press(ESCAPE)
    text, hits = search(browser, 'nowhere')
    assert text == '0 frames, 0.00 % of the time' and hits == [], (text, hits)
    browser.press(ESCAPE)


def check_hover(browser):
    before = text_of(browser, 'info')
    browser.point_at(rect_of(browser, 'main'))
    assert text_of(browser, 'info') == 'main: 89.0 ms (64.01 %), self 10.0 ms, 1 call'
    browser.point_at(browser.find('#cut'))
    assert text_of(browser, 'info') == before


def main(svg, folded):
    wanted = shares(folded)
    with Browser() as browser:
        browser.open(svg)
        whole = frames(browser)
        check_whole(whole, wanted)
        check_hover(browser)
        check_zoom(browser, whole, 'a;b')
        check_zoom(browser, whole, 'main')  # a caller of it
        browser.click(browser.find('#reset'))
        check_whole(frames(browser), wanted)
        check_search(browser, wanted)
        check_whole(frames(browser), wanted)
        # Nothing of a name has become a script or an element.
        assert browser.run("return document.getElementsByTagName('script').length;") == 1
        loaded = browser.run("return performance.getEntriesByType('resource').length;")
        assert loaded == 0, loaded


main(*sys.argv[1:])
