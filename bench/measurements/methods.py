"""The paths of the methods that are measured."""

from __future__ import annotations

from typing import Final

CREATE_PLAN: Final = "/agent.v1.PlanService/CreatePlan"
GET_PLAN: Final = "/agent.v1.PlanService/GetPlan"
REVIEW_PLAN: Final = "/agent.v1.PlanService/ReviewPlan"
AUTHORIZE_TOOL: Final = "/agent.v1.SessionService/AuthorizeTool"
REQUEST_APPROVAL: Final = "/agent.v1.ApprovalService/RequestApproval"
RESOLVE_APPROVAL: Final = "/agent.v1.ApprovalService/ResolveApproval"
WATCH_APPROVALS: Final = "/agent.v1.ApprovalService/WatchApprovals"
UPDATE_TODOS: Final = "/agent.v1.PlanService/UpdateTodos"
LIST_EVENTS: Final = "/aiserver.v1.PlanReviewService/ListEvents"
LIST_REVIEWS: Final = "/aiserver.v1.PlanReviewService/ListReviews"
SUBMIT_REVIEW: Final = "/aiserver.v1.PlanReviewService/SubmitReview"
WATCH_REVIEWS: Final = "/aiserver.v1.PlanReviewService/WatchReviews"
