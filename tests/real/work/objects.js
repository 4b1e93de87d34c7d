// SPDX-License-Identifier: GPL-3.0-or-later
// Maps, JSON, compression, promises, worker threads.  usage: node objects.js [N]
const zlib = require("zlib");
const crypto = require("crypto");
const { Worker } = require("worker_threads");

const n = Number(process.argv[2] || 5000);
const map = new Map();
for (let i = 0; i < n; i++)
	map.set("k" + i, { i, text: "x".repeat(i % 30) });
const text = JSON.stringify([...map]);
const packed = zlib.gzipSync(text);
console.log(JSON.parse(zlib.gunzipSync(packed)).length, packed.length);
console.log(crypto.createHash("sha256").update(text).digest("hex"));

const source = `const { parentPort } = require("worker_threads");
	parentPort.postMessage([..."worker"].map((c) => c.charCodeAt(0)));`;
const workers = [0, 1].map(() => new Promise((resolve) =>
	new Worker(source, { eval: true }).on("message", resolve)));
Promise.all(workers).then((all) => console.log(JSON.stringify(all)));
