#!/usr/bin/env python3
"""Write ordinary requests of browsers and programs: `python3 ordinary.py NUMBER > REQUESTS`. The same number gives the same requests."""
import base64
import json
import random
import sys

AGENTS = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
    "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
]
WORDS = "summer winter shoes blue coffee house garden table light paper music travel hotel berlin paris book phone camera watch bread".split()
NAMES = "Ana Müller|John O'Neil|Zoë Smith|Li Wei|Maria Garcia|Peter Novak".split("|")


def request(random, number):
    word = lambda: random.choice(WORDS)
    headers = [["Host", "www.example.com"], ["User-Agent", random.choice(AGENTS)]]
    headers += [["Accept-Language", random.choice(["en-US,en;q=0.9", "de-DE,de;q=0.8,en;q=0.5", "fr"])], ["Accept-Encoding", "gzip, deflate, br, zstd"]]
    if random.random() < 0.8:
        cookies = [f"session={random.getrandbits(128):032x}", f"_ga=GA1.2.{random.randrange(10**9)}.{random.randrange(10**9)}"]
        cookies += [f"theme={random.choice(['dark', 'light'])}", f"consent=analytics:true|ads:false|v:{random.randrange(9)}"]
        headers.append(["Cookie", "; ".join(cookies[:random.randrange(1, 5)])])
    if random.random() < 0.7:
        headers.append(["Referer", f"https://www.example.com/{word()}?page={random.randrange(9)}"])
    headers += [["Sec-Fetch-Site", "same-origin"], ["Sec-Fetch-Mode", "navigate"], ["Connection", "keep-alive"]]
    kind = random.random()
    body = b""
    method = "GET"
    page = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
    if kind < 0.35:
        uri = f"/assets/{word()}-{random.getrandbits(32):08x}.{random.choice(['js', 'css', 'png', 'woff2', 'svg'])}"
        accept = "*/*"
    elif kind < 0.6:
        uri = f"/{word()}/{word()}-{random.randrange(10**5)}"
        accept = page
    elif kind < 0.8:
        uri = f"/search?q={word()}+{word()}&page={random.randrange(20)}&sort={random.choice(['price', 'name'])}&utm_source=newsletter"
        accept = page
    elif kind < 0.9:
        method, uri, accept = "POST", "/account/profile", page
        body = f"name={random.choice(NAMES).replace(' ', '+')}&city={word()}&text=I+like+{word()}+and+{word()}.+Thanks&csrf={random.getrandbits(64):016x}".encode()
        headers += [["Content-Type", "application/x-www-form-urlencoded"], ["Origin", "https://www.example.com"]]
    else:
        method, uri, accept = "POST", f"/api/v1/items/{random.randrange(10**4)}", "application/json"
        body = json.dumps({"id": random.randrange(10**6), "name": f"{word()} {word()}", "tags": [word(), word()], "price": random.randrange(10**4) / 100,
                           "owner": {"name": random.choice(NAMES), "active": True}}).encode()
        headers += [["Content-Type", "application/json"], ["X-Requested-With", "XMLHttpRequest"]]
    headers.append(["Accept", accept])
    if body:
        headers.append(["Content-Length", str(len(body))])
    return {"id": str(number), "method": method, "uri": uri, "version": "HTTP/1.1", "headers": headers, "body": base64.b64encode(body).decode()}


generator = random.Random(1)
for number in range(int(sys.argv[1])):
    print(json.dumps(request(generator, number)))
