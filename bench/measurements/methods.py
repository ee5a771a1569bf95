"""The paths of the methods that are measured."""

from __future__ import annotations

from typing import Final

CREATE_PLAN: Final = "/agent.v1.PlanService/CreatePlan"
GET_PLAN: Final = "/agent.v1.PlanService/GetPlan"
REVIEW_PLAN: Final = "/agent.v1.PlanService/ReviewPlan"
SUBMIT_REVIEW: Final = "/aiserver.v1.PlanReviewService/SubmitReview"
