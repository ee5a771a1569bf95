/** The gate's calls by name, and writes that can be repeated without being done twice. */

import { NoAnswer, Refused, post } from "./http.js";

const REVIEWS = "aiserver.v1.PlanReviewService";
const PLANS = "agent.v1.PlanService";
const APPROVALS = "agent.v1.ApprovalService";
const SESSIONS = "agent.v1.SessionService";
const TOKENS = "agent.v1.TokenService";
const PAUSES = [300, 900, 2700];

function reader(service, method) {
  return (request = {}) => post(`/api/${service}/${method}`, request);
}

function writer(service, method) {
  return (request) => new Write(`/api/${service}/${method}`, request);
}

/** One click. However often it is sent, the gate does it once. */
export class Write {
  constructor(path, request) {
    this.path = path;
    this.request = { ...request, requestId: crypto.randomUUID() };
  }

  /** Sent again by itself a few times if nobody answers; then it is the person's to send again. */
  async send() {
    for (const pause of PAUSES) {
      try {
        return await post(this.path, this.request);
      } catch (error) {
        if (!passes(error)) throw error;
      }
      await new Promise((go) => setTimeout(go, pause));
    }
    return post(this.path, this.request);
  }
}

export function passes(error) {
  return error instanceof NoAnswer || (error instanceof Refused && error.code === "UNAVAILABLE");
}

export const getReview = reader(REVIEWS, "GetReview");
export const listEvents = reader(REVIEWS, "ListEvents");
export const verifyAudit = reader(REVIEWS, "VerifyAudit");
export const submitReview = writer(REVIEWS, "SubmitReview");
export const addComment = writer(REVIEWS, "AddComment");
export const resolveComment = writer(REVIEWS, "ResolveComment");
export const listComments = reader(PLANS, "ListComments");
export const getPlan = reader(PLANS, "GetPlan");
export const listPlans = reader(PLANS, "ListPlans");
export const updatePlan = writer(PLANS, "UpdatePlan");
export const listApprovals = reader(APPROVALS, "ListApprovals");
export const listRemembered = reader(APPROVALS, "ListRemembered");
export const resolveApproval = writer(APPROVALS, "ResolveApproval");
export const forgetRemembered = writer(APPROVALS, "ForgetRemembered");
export const resetMemory = writer(APPROVALS, "ResetMemory");
export const getSession = reader(SESSIONS, "GetSession");
export const listSessions = reader(SESSIONS, "ListSessions");
export const setMode = writer(SESSIONS, "SetMode");
export const confirmFullAccess = writer(SESSIONS, "ConfirmFullAccess");
export const whoAmI = reader(TOKENS, "WhoAmI");
export const whoHas = (half) => post(`/api/${TOKENS}/WhoAmI`, {}, half);

/** A review with all comments, also those for which the answer had no room. */
export async function wholeReview(request) {
  const found = await getReview(request);
  if (!found.commentsNotShown) return found;
  const { planUri, revision } = found.item.plan;
  return { ...found, comments: await every(listComments, { planUri, revision }, "comments") };
}

/** Everything that a list has, page after page. */
export async function every(list, request, field) {
  const found = [];
  let pageToken = "";
  do {
    const page = await list({ ...request, pageSize: 1000, pageToken });
    found.push(...(page[field] ?? []));
    pageToken = page.nextPageToken ?? "";
  } while (pageToken);
  return found;
}
