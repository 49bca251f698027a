// SPDX-License-Identifier: GPL-2.0
// fluent.js LIBRARY PORT FILE: a Fluent server that writes each entry to a file as a line of JSON.
'use strict';
const fs = require('fs');
const [library, port, path] = process.argv.slice(2);
const protocol = require(`${library}/build/src/protocol`);
const { FluentServer, EventTime } = require(library);
// What was killed while it wrote has acknowledged no part of its last line, which comes again.
if (fs.existsSync(path))
	fs.truncateSync(path, fs.readFileSync(path).lastIndexOf('\n') + 1);
const file = fs.openSync(path, 'a');
const parse = protocol.parseTransport;

// The server acknowledges what this returns, which so is in the file before.
protocol.parseTransport = message => {
	const { tag, entries, chunk } = parse(message);
	fs.appendFileSync(file, entries.map(([time, record]) => JSON.stringify({
		tag, chunk, is_exact: time instanceof EventTime, seconds: time.epoch, ns: time.nano, record,
	}, (_, value) => typeof value === 'bigint' ? Number(value) : value) + '\n').join(''));
	return { tag, entries, chunk };
};
new FluentServer({ listenOptions: { host: '127.0.0.1', port: Number(port) } }).listen();
