// Drives the YAML language server with the committed schema, as an editor does, and checks what it offers and underlines.
//
// Usage: node check.mjs DIRECTORY-WITH-node_modules SCHEMA
// The server speaks LSP over stdin and stdout. In each text below, `|` marks the cursor.

import { spawn } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, schema] = process.argv.slice(2).map((p) => path.resolve(p));
const schemaUri = pathToFileURL(schema).href;
const HEAD = "version: 1\nzones:\n  example.com:\n    records:\n";

/** What must be offered at the cursor; `not` must not be. */
const COMPLETIONS = [
  ["top-level keys", "version: 1\n|", ["include", "variables", "defaults", "zones"], []],
  ["keys of a zone", "version: 1\nzones:\n  example.com:\n    |", ["records", "unmanaged", "ignore", "defaults", "id"], ["version"]],
  ["what happens to the rest", "version: 1\nzones:\n  example.com:\n    unmanaged: |", ["keep", "prune"], []],
  ["keys of a record", `${HEAD}      - name: www\n        |`, ["type", "content", "data", "ttl", "proxied", "comment", "tags", "settings", "state", "protect"], ["name"]],
  ["record types", `${HEAD}      - name: www\n        type: |`, ["A", "AAAA", "CNAME", "MX", "TXT", "NS", "SRV", "CAA"], []],
  ["record types in braces", `${HEAD}      - { name: www, type: C| }`, ["CNAME", "CAA"], []],
  ["members of SRV data", `${HEAD}      - name: _sip._tcp\n        type: SRV\n        data:\n          |`, ["priority", "weight", "port", "target"], ["tag", "flags"]],
  ["members of CAA data", `${HEAD}      - name: "@"\n        type: CAA\n        data:\n          flags: 0\n          |`, ["tag", "value"], ["weight"]],
  ["times to live", `${HEAD}      - name: www\n        type: A\n        ttl: |`, ["auto"], []],
  ["states", `${HEAD}      - name: www\n        type: A\n        state: |`, ["absent", "present"], []],
  ["truth", `${HEAD}      - name: www\n        type: A\n        proxied: |`, ["true", "false"], []],
];

/** What must be underlined: each line:column (from 1) once, with a part of the message; an empty list means silence. */
const DIAGNOSTICS = [
  ["a good spec", `${HEAD}      - { name: "@", type: A, content: [192.0.2.1, 192.0.2.2], ttl: auto, proxied: true }
      - { name: 101, type: TXT, content: 1.10, comment: null, tags: [a:b], expires: 2027-03-01 }
      - { name: "@", type: MX, priority: 10, content: mx.example.net, ttl: 300 }
      - { name: "@", type: MX, content: 10 mx.example.net, ttl: "\${TTL}" }
      - { name: _sip._tcp, type: SRV, data: { priority: 10, weight: 5, port: 5060, target: sip.example.com } }
      - { name: _sip._udp, type: SRV, data: [{ priority: 10, weight: 5, port: 5060, target: . }] }
      - { name: "@", type: CAA, content: '0 issue "ca.example.net"' }
      - { name: old, type: A, state: absent }
      - { name: old, type: SRV, state: absent }\n`, []],
  ["an unknown key", `${HEAD}      - { name: www, type: A, content: 192.0.2.1, proxed: true }\n`, [["5:51", "proxed"]]],
  ["an unknown key at the top", "version: 1\nzone: {}\n", [["2:1", "zone"]]],
  ["a wrong type of value", `${HEAD}      - { name: www, type: A, content: 192.0.2.1, proxied: 1 }\n`, [["5:60", "boolean"]]],
  ["an unknown record type", `${HEAD}      - { name: www, type: CNAM, content: example.com }\n`, [["5:28", "CNAME"]]],
  ["an unknown word", "version: 1\nzones:\n  example.com:\n    unmanaged: purge\n", [["4:16", "keep"]]],
  ["a missing value", `${HEAD}      - { name: www, type: A }\n`, [["5:9", "content"]]],
  ["missing data", `${HEAD}      - { name: www, type: SRV }\n`, [["5:9", "data"]]],
  ["a missing priority", `${HEAD}      - { name: "@", type: MX, content: mx.example.net }\n`, [["5:9", "priority"]]],
  ["a missing member of data", `${HEAD}      - { name: _sip._tcp, type: SRV, data: { priority: 1, weight: 1, port: 1 } }\n`, [["5:39", "target"]]],
  ["an unknown member of data", `${HEAD}      - { name: _sip._tcp, type: SRV, data: { prio: 1, priority: 1, weight: 1, port: 1, target: a.b } }\n`, [["5:47", "prio"]]],
  ["a port out of range", `${HEAD}      - { name: _sip._tcp, type: SRV, data: { priority: 1, weight: 1, port: 70000, target: a.b } }\n`, [["5:77", "65535"]]],
  ["proxied where it cannot be", `${HEAD}      - { name: www, type: TXT, content: a, proxied: true }\n`, [["5:54", "false"]]],
  ["a time to live", `${HEAD}      - { name: www, type: A, content: 192.0.2.1, ttl: soon }\n`, [["5:56", "auto"]]],
  ["null for a list", "version: 1\nzones:\n  example.com:\n    records: null\n", [["4:14", "array"]]],
  ["a missing version", "zones: {}\n", [["1:1", "version"]]],
];

const server = spawn(process.execPath, [path.join(modules, "node_modules/yaml-language-server/bin/yaml-language-server"), "--stdio"], {
  stdio: ["pipe", "pipe", "inherit"],
});
const pending = new Map();
const published = new Map();
let buffer = Buffer.alloc(0);
let lastId = 0;

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
  server.stdin.write(body);
}

function request(method, params) {
  const id = ++lastId;
  send({ id, method, params });
  return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
}

const settings = {
  yaml: { validate: true, completion: true, hover: true, schemaStore: { enable: false }, schemas: { [schemaUri]: "*.yaml" } },
};

function receive(message) {
  if (message.method === "workspace/configuration") {
    send({ id: message.id, result: message.params.items.map((item) => settings[item.section] ?? {}) });
  } else if (message.method === "textDocument/publishDiagnostics") {
    published.get(message.params.uri)?.(message.params.diagnostics);
  } else if (message.method !== undefined && message.id !== undefined) {
    send({ id: message.id, result: null });
  } else if (pending.has(message.id)) {
    const { resolve, reject } = pending.get(message.id);
    pending.delete(message.id);
    message.error ? reject(new Error(message.error.message)) : resolve(message.result);
  }
}

server.stdout.on("data", (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (;;) {
    const end = buffer.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, end).toString())[1]);
    if (buffer.length < end + 4 + length) return;
    const body = buffer.subarray(end + 4, end + 4 + length).toString();
    buffer = buffer.subarray(end + 4 + length);
    receive(JSON.parse(body));
  }
});

let documents = 0;
/** Opens a text and waits for what the server says about it. */
function open(text) {
  const uri = pathToFileURL(path.join(modules, `case-${++documents}.yaml`)).href;
  const diagnostics = new Promise((resolve) => published.set(uri, resolve));
  send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "yaml", version: 1, text } } });
  return { uri, diagnostics };
}

let failures = 0;
function report(good, what, detail) {
  console.log(`${good ? "ok    " : "FAILED"} ${what}${good ? "" : `: ${detail}`}`);
  if (!good) failures += 1;
}

const deadline = setTimeout(() => {
  console.log("FAILED the language server did not answer in two minutes");
  server.kill();
  process.exit(1);
}, 120_000);

await request("initialize", {
  processId: process.pid,
  rootUri: pathToFileURL(modules).href,
  capabilities: {
    workspace: { configuration: true },
    textDocument: { completion: { completionItem: { snippetSupport: true, documentationFormat: ["markdown"] } }, publishDiagnostics: {} },
  },
});
send({ method: "initialized", params: {} });
send({ method: "workspace/didChangeConfiguration", params: { settings } });

for (const [what, marked, wanted, unwanted] of COMPLETIONS) {
  const at = marked.indexOf("|");
  const before = marked.slice(0, at).split("\n");
  const { uri, diagnostics } = open(marked.slice(0, at) + marked.slice(at + 1));
  await diagnostics;
  const result = await request("textDocument/completion", {
    textDocument: { uri },
    position: { line: before.length - 1, character: before.at(-1).length },
  });
  const labels = (result.items ?? result).map((item) => item.label);
  const missing = wanted.filter((label) => !labels.includes(label));
  const extra = unwanted.filter((label) => labels.includes(label));
  const twice = labels.filter((label, n) => labels.indexOf(label) !== n);
  report(
    missing.length + extra.length + twice.length === 0,
    `completion: ${what}`,
    `missing ${missing}, unwanted ${extra}, twice ${twice}; offered ${labels}`,
  );
}

for (const [what, text, wanted] of DIAGNOSTICS) {
  const found = (await open(text).diagnostics).map((d) => [`${d.range.start.line + 1}:${d.range.start.character + 1}`, d.message]);
  const good = found.length === wanted.length && wanted.every(([at, part], n) => found[n][0] === at && found[n][1].includes(part));
  report(good, `diagnostics: ${what}`, JSON.stringify(found));
}

{
  const { uri, diagnostics } = open(`${HEAD}      - { name: www, type: A, proxied: true }\n`);
  await diagnostics;
  const hover = await request("textDocument/hover", { textDocument: { uri }, position: { line: 4, character: 34 } });
  const text = JSON.stringify(hover?.contents ?? null);
  report(text.includes("traffic goes through Cloudflare"), "hover: proxied", text);
}

clearTimeout(deadline);
server.kill();
console.log(failures === 0 ? "the editor is driven well" : `${failures} checks failed`);
process.exit(failures === 0 ? 0 : 1);
