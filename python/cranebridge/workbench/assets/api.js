// Requests to the server: the token goes with each, errors are sentences.
const given = new URLSearchParams(location.hash.slice(1));
// A browser that was opened with a ticket gets the token for it, once; reloading needs the token.
const enter = async (ticket) => {
  const answer = await fetch("/enter", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ ticket }),
  }).catch(() => null);
  if (!answer?.ok) return "";
  const { token } = await answer.json();
  history.replaceState(null, "", `#token=${token}`);
  return token;
};
const token = given.has("ticket") ? await enter(given.get("ticket")) : given.get("token") ?? "";

// What opens results, derived from the token: it stands in their addresses.
const text = new TextEncoder();
const key = await crypto.subtle.importKey("raw", text.encode(token || "none"), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
const signed = new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode("results")));
export const pass = [...signed].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export class Refused extends Error {
  constructor(status, answer) {
    super(answer.error ?? `the server answered ${status}`);
    this.status = status;
    this.answer = answer;
  }
}
export class Gone extends Error {}

const ask = async (address, options = {}) => {
  let response;
  try {
    response = await fetch(address, {
      ...options, headers: { ...options.headers, "x-cranebridge-token": token },
    });
  } catch {
    throw new Gone("the workbench does not answer");
  }
  if (response.ok) return response;
  throw new Refused(response.status, await response.json().catch(() => ({})));
};

export const get = async (address) => (await ask(address)).json();
export const post = async (name, body) => (await ask(`/api/${name}`, {
  method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
})).json();

// Calls `hear` with each piece of news until the connection ends; then the promise ends.
export const listen = async (hear) => {
  const reader = (await ask("/api/events")).body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) if (part.startsWith("data: ")) hear(JSON.parse(part.slice(6)));
  }
};
