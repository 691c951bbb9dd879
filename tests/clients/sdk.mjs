// The official TypeScript SDK, unmodified, against a running sandbox.
import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// The SDK stands in the directory from which this is run, not beside this file.
const sdk = createRequire(pathToFileURL(join(process.cwd(), "package.json")))("cloudflare");
const Cloudflare = sdk.default ?? sdk;

const ZONE = "typescript.example";
const { CLOUDFLARE_BASE_URL: baseURL, CLOUDFLARE_API_TOKEN: apiToken, LIMITED_BASE_URL, RESULTS } = process.env;
const flags = (process.env.SANDBOX_FLAGS ?? "").split(" ");
const types = JSON.parse(readFileSync(new URL("records.json", import.meta.url)));
const client = new Cloudflare({ baseURL, apiToken, maxRetries: 0 });
let failed = 0;

function note(area, outcome, detail = "") {
  appendFileSync(RESULTS, ["TypeScript SDK", area, outcome, String(detail).replace(/\s+/g, " ")].join("\t") + "\n");
}
function that(area, holds, detail) {
  if (!holds) failed += 1;
  note(area, holds ? "ok" : "FAILED", detail);
}
function equal(area, got, expected, what) {
  try {
    assert.deepEqual(got, expected);
    that(area, true, what);
  } catch {
    that(area, false, `${what}: got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
  }
}
async function refused(area, kind, code, call, what) {
  try {
    await call();
  } catch (e) {
    const codes = (e.errors ?? []).map((problem) => problem.code);
    const name = e.constructor.name;
    return that(area, e.constructor === kind && (code === null || codes.includes(code)), `${what}: ${name} ${codes}, not ${code}`);
  }
  that(area, false, `${what}: was not refused`);
}
async function all(iterable) {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
}
const plain = (value) => JSON.parse(JSON.stringify(value));
// That a record has one of the values of its case, in Cloudflare's normal form.
function withValue(area, record, kase, which, what) {
  const value = { ...kase[which] };
  if (kase.answered?.[which]) value.data = { ...value.data, ...kase.answered[which] };
  const got = Object.fromEntries(Object.keys(value).map((key) => [key, record[key]]));
  equal(area, got, value, what);
}

async function oneType(zone, kase, tagged) {
  const { type, value, other } = kase;
  const name = `${kase.name}.${ZONE}`;
  const place = { zone_id: zone.id, name, type };
  const extra = tagged ? { tags: ["suite:sdk"] } : {};
  const records = client.dns.records;
  const besides = [];
  if (kase.beside) {
    besides.push(await records.create({ zone_id: zone.id, ...kase.beside, name: `${kase.beside.name}.${ZONE}` }));
  }
  const tidy = async () => {
    for (const beside of besides) await records.delete(beside.id, { zone_id: zone.id });
  };
  let made;
  try {
    made = await records.create({ ...place, ttl: 300, comment: `a ${type}`, ...value, ...extra });
  } catch (e) {
    const unknown = (e.errors ?? []).some((problem) => problem.message.includes("not a supported type"));
    if (unknown && !kase.required) note(type, "not supported yet");
    else that(type, false, `create: ${e}`);
    return tidy();
  }
  equal(type, [made.name, made.type, made.ttl, made.comment, made.proxied], [name, type, 300, `a ${type}`, false], "create");
  equal(type, made.tags, extra.tags ?? [], "tags");
  that(type, !Number.isNaN(Date.parse(made.created_on)), "created_on");
  withValue(type, made, kase, "value", "create: value");
  equal(type, plain(await records.get(made.id, { zone_id: zone.id })), plain(made), "get");
  const listed = await all(records.list({ zone_id: zone.id, type, name: { exact: name } }));
  equal(type, plain(listed), [plain(made)], "list by type and name");
  await refused(type, Cloudflare.BadRequestError, null, () => records.create({ ...place, ttl: 300, ...value }), "duplicate");
  that(type, (await records.export({ zone_id: zone.id })).includes(`${name}.\t300\tIN\t${type}\t`), "export");

  const put = await records.update(made.id, { ...place, ttl: 600, ...other });
  equal(type, [put.id, put.ttl, put.comment, put.tags], [made.id, 600, null, []], "update");
  withValue(type, put, kase, "other", "update: value");
  let patched = await records.edit(made.id, { ...place, ttl: 600, comment: "edited" });
  equal(type, [patched.id, patched.comment, patched.ttl], [made.id, "edited", 600], "edit the comment");
  withValue(type, patched, kase, "other", "edit keeps the value");
  patched = await records.edit(made.id, { ...place, ttl: 900, ...value });
  equal(type, [patched.comment, patched.ttl], ["edited", 900], "edit keeps the comment");
  withValue(type, patched, kase, "value", "edit: value");

  equal(type, (await records.delete(made.id, { zone_id: zone.id })).id, made.id, "delete");
  await refused(type, Cloudflare.NotFoundError, 81044, () => records.get(made.id, { zone_id: zone.id }), "get what is deleted");
  await batches(zone, kase, name);
  await tidy();
}

async function batches(zone, kase, name) {
  const { type, value, other } = kase;
  const batch = (lists) => client.dns.records.batch({ zone_id: zone.id, ...lists });
  const posts = [{ name, type, ttl: 300, ...value }];
  if (flags.includes("--no-batch")) {
    return refused(type, Cloudflare.BadRequestError, 7000, () => batch({ posts }), "no batch");
  }
  let done = await batch({ posts });
  withValue(type, done.posts[0], kase, "value", "batch: post");
  const { id } = done.posts[0];
  done = await batch({ puts: [{ id, name, type, ttl: 600, ...other }] });
  withValue(type, done.puts[0], kase, "other", "batch: put");
  done = await batch({ patches: [{ id, name, type, ttl: 900 }] });
  equal(type, done.patches[0].ttl, 900, "batch: patch");
  done = await batch({ deletes: [{ id }], posts: [{ name, type, ttl: 300, ...other }] });
  equal(type, done.deletes[0].id, id, "batch: delete");
  const last = done.posts[0].id;
  await refused(type, Cloudflare.NotFoundError, 81044, () => batch({ deletes: [{ id: last }, { id }] }), "batch: all or nothing");
  await batch({ deletes: [{ id: last }] });
}

async function lists(zone, tagged) {
  const area = "lists and pages";
  const { records } = client.dns;
  for (let n = 0; n < 23; n += 1) {
    await records.create({
      zone_id: zone.id, type: "A", name: `p${String(n).padStart(2, "0")}`, content: `192.0.2.${n + 1}`, ttl: n ? 300 : 1, proxied: n === 0,
      ...(n % 2 ? { comment: `Number ${n}` } : {}), ...(tagged && n < 5 ? { tags: ["team:dns", `n:${n}`] } : {}),
    });
  }
  const numbers = Array.from({ length: 23 }, (_, n) => `p${String(n).padStart(2, "0")}`);
  const names = async (query) => (await all(records.list({ zone_id: zone.id, ...query }))).map((r) => r.name.replace(`.${ZONE}`, ""));
  equal(area, await names({ per_page: 7, order: "name" }), numbers, "pages of seven");
  equal(area, await names({ per_page: 7, order: "name", direction: "desc" }), numbers.toReversed?.() ?? [...numbers].reverse(), "pages backwards");
  const page = await records.list({ zone_id: zone.id, per_page: 20, order: "name" });
  equal(area, [page.result.length, page.result_info.page, page.result_info.per_page, page.hasNextPage()], [20, 1, 20, true], "the first page");
  equal(area, (await page.getNextPage()).result.length, 3, "the next page");
  for (const [query, expected] of [
    [{ name: { startswith: "p1" } }, numbers.slice(10, 20)],
    [{ name: { contains: "07." } }, ["p07"]],
    [{ name: { endswith: `8.${ZONE}` } }, ["p08", "p18"]],
    [{ content: { exact: "192.0.2.3" } }, ["p02"]],
    [{ content: { endswith: ".23" } }, ["p22"]],
    [{ comment: { present: "true" } }, numbers.filter((_, n) => n % 2)],
    [{ comment: { absent: "true" } }, numbers.filter((_, n) => !(n % 2))],
    [{ comment: { startswith: "NUMBER 21" } }, ["p21"]],
    [{ proxied: true }, ["p00"]],
    [{ match: "any", name: { exact: `p03.${ZONE}` }, content: { exact: "192.0.2.3" } }, ["p02", "p03"]],
    [{ type: "AAAA" }, []],
    [{ tag: { present: "team" } }, tagged ? numbers.slice(0, 5) : []],
    [{ tag: { absent: "team" } }, tagged ? numbers.slice(5) : numbers],
    [{ tag: { exact: "n:3" } }, tagged ? ["p03"] : []],
    [{ tag: { endswith: "team:ns" } }, tagged ? numbers.slice(0, 5) : []],
    [{ tag: { exact: "n:3", present: "missing" }, tag_match: "any" }, tagged ? ["p03"] : []],
  ]) {
    equal(area, await names({ order: "name", ...query }), expected, `list ${JSON.stringify(query)}`);
  }
  const usage = await client.dns.usage.zone.get({ zone_id: zone.id });
  equal("usage", usage.record_usage, 23, "record_usage");
  that("usage", usage.record_quota === null || usage.record_quota >= 23, `record_quota ${usage.record_quota}`);
  for (const record of await all(records.list({ zone_id: zone.id }))) await records.delete(record.id, { zone_id: zone.id });
  equal(area, await names({}), [], "an empty zone");
}

async function zones() {
  const area = "zones";
  const [zone] = await all(client.zones.list({ name: ZONE }));
  equal(area, [zone.name, zone.status, zone.type, zone.paused], [ZONE, "active", "full", false], "list by name");
  equal(area, plain(await client.zones.get({ zone_id: zone.id })), plain(zone), "get");
  const names = Array.from({ length: 6 }, (_, n) => `made${n}.example`);
  const made = [];
  for (const name of names) made.push(await client.zones.create({ account: { id: zone.account.id }, name, type: "full" }));
  equal(area, made.map((z) => [z.name, z.status]), names.map((name) => [name, "pending"]), "create");
  const again = () => client.zones.create({ account: { id: zone.account.id }, name: names[0], type: "full" });
  await refused(area, Cloudflare.BadRequestError, 1061, again, "create twice");
  const listed = (await all(client.zones.list({ per_page: 5, order: "name" }))).map((z) => z.name);
  equal(area, [listed, names.every((name) => listed.includes(name))], [[...listed].sort(), true], "pages of five");
  equal(area, (await client.zones.edit({ zone_id: made[0].id, paused: true })).paused, true, "pause");
  for (const z of made) equal(area, (await client.zones.delete({ zone_id: z.id })).id, z.id, "delete");
  await refused(area, Cloudflare.PermissionDeniedError, 9109, () => client.zones.get({ zone_id: made[0].id }), "get what is deleted");
  return zone;
}

async function access(zone) {
  const area = "access";
  equal(area, (await client.user.tokens.verify()).status, "active", "verify");
  const other = (by) => new Cloudflare({ baseURL, maxRetries: 0, apiToken: null, ...by });
  const wrong = other({ apiToken: "wrong-token-00000000000000000000000000_x" });
  await refused(area, Cloudflare.PermissionDeniedError, 9109, () => wrong.zones.list(), "wrong token: zones");
  await refused(area, Cloudflare.AuthenticationError, 1000, () => wrong.user.tokens.verify(), "wrong token: verify");
  await refused(area, Cloudflare.BadRequestError, 6003, () => other({ apiToken: "short" }).zones.list(), "malformed token");
  const key = { apiEmail: "a@example.com", apiKey: "0".repeat(37) };
  await refused(area, Cloudflare.PermissionDeniedError, 9103, () => other(key).zones.list(), "wrong key");
  await refused(area, Cloudflare.PermissionDeniedError, 9109, () => client.dns.records.list({ zone_id: "0".repeat(32) }), "another's zone");
  await refused(area, Cloudflare.BadRequestError, 7003, () => client.dns.records.list({ zone_id: "nonsense" }), "no identifier");
  const limited = new Cloudflare({ baseURL: LIMITED_BASE_URL, apiToken, maxRetries: 0 });
  const often = async () => {
    for (let n = 0; n < 5; n += 1) await limited.zones.list();
  };
  await refused(area, Cloudflare.RateLimitError, null, often, "too many requests");

  const create = (body) => () => client.dns.records.create({ zone_id: zone.id, ttl: 300, name: "www", ...body });
  const www = await create({ type: "A", content: "192.0.2.1" })();
  for (const [code, body] of [
    [flags.includes("seed") ? 81057 : 81058, { type: "A", content: "192.0.2.1" }],
    [81053, { type: "CNAME", content: "one.example.net" }],
    [9005, { type: "A", content: "no address" }],
    [9100, { type: "MX", content: "mail.example.net" }],
    [9101, { type: "CAA", data: { flags: 0, tag: "issue" } }],
    [9021, { type: "A", content: "192.0.2.2", ttl: 5 }],
  ]) {
    await refused("refusals", Cloudflare.BadRequestError, code, create(body), `create ${JSON.stringify(body)}`);
  }
  await client.dns.records.delete(www.id, { zone_id: zone.id });
}

const guarded = async (area, part) => {
  try {
    return await part();
  } catch (e) {
    that(area, false, `${e.constructor.name}: ${e.message}`);
  }
};
const zone = await guarded("zones", zones);
if (zone) {
  const tagged = zone.plan.legacy_id !== "free";
  for (const kase of types) await guarded(kase.type, () => oneType(zone, kase, tagged));
  await guarded("lists and pages", () => lists(zone, tagged));
  await guarded("access", () => access(zone));
}
process.exit(failed ? 1 : 0);
