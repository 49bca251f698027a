# SPDX-License-Identifier: GPL-2.0
"""Headless Chromium, through the HTTP API of chromedriver."""
import json
import os
import socket
import subprocess
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
