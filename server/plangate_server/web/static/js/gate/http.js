/** Requests to the gate this page came from, and to nowhere else. */

import { spelled } from "../ui/hidden.js";
import { key } from "./key.js";

/** What the gate said no to, in its own words. */
export class Refused extends Error {
  constructor(status, error) {
    super(spelled(error.message)); // it can repeat what was sent
    this.status = status;
    this.code = error.code;
    this.reason = error.reason;
    this.metadata = error.metadata ?? {};
  }
}

/** Nobody answered: what was asked may have been done, or not. */
export class NoAnswer extends Error {}

let signIn = null;

/** Says who asks the person to sign in again; what was asked for waits until then. */
export function onSignedOut(ask) {
  signIn = ask;
}

/** With another half than the page's own, nobody is asked to sign in. */
export async function post(path, body, half = "") {
  for (;;) {
    const response = await sent(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Plangate-Key": half || key() },
      body: JSON.stringify(body),
    });
    if (response.ok) return response.json();
    const refusal = await refusalOf(response);
    if (response.status !== 401 || path === "/sign-in" || half) throw refusal;
    await signIn(refusal);
  }
}

export async function open(path, headers, signal) {
  const response = await sent(path, { headers: { "X-Plangate-Key": key(), ...headers }, signal });
  if (!response.ok) throw await refusalOf(response);
  return response;
}

async function sent(path, options) {
  try {
    return await fetch(path, { cache: "no-store", credentials: "same-origin", ...options });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new NoAnswer("The gate does not answer.");
  }
}

async function refusalOf(response) {
  const text = await response.text();
  try {
    return new Refused(response.status, JSON.parse(text).error);
  } catch {
    return new Refused(response.status, { code: "INTERNAL", message: text || `status ${response.status}` });
  }
}
