// The records of a zone as the official TypeScript SDK lists them, as JSON on standard output; see readback.py.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// The SDK stands in the directory from which this is run, not beside this file.
const sdk = createRequire(pathToFileURL(join(process.cwd(), "package.json")))("cloudflare");
const Cloudflare = sdk.default ?? sdk;
const { CLOUDFLARE_BASE_URL: baseURL, CLOUDFLARE_API_TOKEN: apiToken } = process.env;
const client = new Cloudflare({ baseURL, apiToken, maxRetries: 0 });
const records = [];
for await (const record of client.dns.records.list({ zone_id: process.argv[2], per_page: 20 })) records.push(record);
process.stdout.write(JSON.stringify(records));
