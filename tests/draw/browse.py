# SPDX-License-Identifier: GPL-2.0
"""browse.py SVG FOLDED: headless Chromium shows a flame graph, through chromedriver's HTTP API."""
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

KEY = 'element-6066-11e4-a52e-4f735466cecf'     # of an element, see the WebDriver specification
CONTROL, ESCAPE = '\ue009', '\ue00c'


class Browser:
    def __init__(self):
        with socket.create_server(('127.0.0.1', 0)) as one:
            port = one.getsockname()[1]
        self.driver = subprocess.Popen(['chromedriver', f'--port={port}'], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.url = f'http://127.0.0.1:{port}'
        self.session = ''

    def __enter__(self):
        self.wait_for_driver()
        options = {'args': ['--headless=new', '--no-sandbox', '--disable-gpu',
                            '--disable-dev-shm-usage', '--window-size=1300,400']}
        asked = {'browserName': 'chrome', 'goog:chromeOptions': options, 'pageLoadStrategy': 'normal'}
        self.session = '/session/' + self.call('POST', '/session', capabilities={
            'alwaysMatch': asked})['sessionId']
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self.call('DELETE', '')
        finally:
            self.driver.terminate()
            self.driver.wait()

    def wait_for_driver(self):
        end = time.monotonic() + 30
        while True:
            try:
                if self.call('GET', '/status')['ready']:
                    return
            except urllib.error.URLError:
                assert time.monotonic() < end, 'chromedriver does not answer'
            time.sleep(0.05)

    def call(self, method, path, **body):
        data = json.dumps(body).encode() if method == 'POST' else None
        request = urllib.request.Request(self.url + self.session + path, data, method=method,
                                         headers={'Content-Type': 'application/json'})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error

    def open(self, path):
        self.call('POST', '/url', url='file://' + os.path.abspath(path))

    def run(self, script, *args):
        return self.call('POST', '/execute/sync', script=script, args=list(args))

    def find(self, selector):
        return self.call('POST', '/element', using='css selector', value=selector)[KEY]

    def click(self, element):
        self.call('POST', f'/element/{element}/click')

    def type(self, selector, text):
        self.call('POST', f'/element/{self.find(selector)}/value', text=text)

    def press(self, *keys):
        down = [{'type': 'keyDown', 'value': key} for key in keys]
        up = [{'type': 'keyUp', 'value': key} for key in reversed(keys)]
        self.call('POST', '/actions', actions=[{'type': 'key', 'id': 'keys', 'actions': down + up}])

    def point_at(self, element):
        move = {'type': 'pointerMove', 'duration': 0, 'origin': {KEY: element}, 'x': 0, 'y': 0}
        self.call('POST', '/actions', actions=[{'type': 'pointer', 'id': 'mouse', 'actions': [move]}])


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
