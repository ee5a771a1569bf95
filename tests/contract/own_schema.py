"""The names of our own services, messages and enums that clients rely on, written down by hand.

Fields and values may be added in the protos without touching these tables; what is listed here
stays. A field is written as in a proto file: a type and a name. A bare type is one of the message's
own package or a well-known one.
"""

from typing import Literal

Streaming = Literal["unary", "client streaming", "server streaming"]

RPCS: dict[str, dict[str, Streaming]] = {
    "agent.v1.PlanService": {
        "CreatePlan": "unary",
        "DraftPlan": "client streaming",
        "UpdatePlan": "unary",
        "GetPlan": "unary",
        "ListPlans": "unary",
        "ListRevisions": "unary",
        "DiffRevisions": "unary",
        "ReviewPlan": "server streaming",
        "AcknowledgeDecision": "unary",
        "BuildTodos": "unary",
        "ReadTodos": "unary",
        "UpdateTodos": "unary",
        "FinishBuild": "unary",
        "WithdrawPlan": "unary",
        "RegisterReference": "unary",
    },
    "agent.v1.TokenService": {
        "CreateToken": "unary",
        "ListTokens": "unary",
        "RevokeToken": "unary",
        "WhoAmI": "unary",
    },
    "aiserver.v1.PlanService": {
        "CreatePlan": "server streaming",
        "ReviewPlan": "server streaming",
        "BuildTodos": "unary",
        "TodoRead": "unary",
        "TodoWrite": "unary",
    },
    "aiserver.v1.PlanReviewService": {
        "ListReviews": "unary",
        "GetReview": "unary",
        "WatchReviews": "server streaming",
        "SubmitReview": "unary",
        "AddComment": "unary",
        "ResolveComment": "unary",
        "ListEvents": "unary",
        "VerifyAudit": "unary",
    },
    "agent.v1.ApprovalService": {
        "RequestApproval": "server streaming",
        "CancelApproval": "unary",
        "WatchApprovals": "server streaming",
        "ResolveApproval": "unary",
        "ListApprovals": "unary",
        "ListRemembered": "unary",
        "ForgetRemembered": "unary",
        "ResetMemory": "unary",
        "RestoreMemory": "unary",
    },
    "agent.v1.SessionService": {
        "GetSession": "unary",
        "ListSessions": "unary",
        "WatchSession": "server streaming",
        "SetMode": "unary",
        "ConfirmFullAccess": "unary",
        "AuthorizeTool": "unary",
        "ReportEvent": "unary",
    },
}

FIELDS: dict[str, str] = {
    "agent.v1.CreatePlanRequest": """
        CreatePlanArgs args; string tool_call_id; string session_id; string agent_id;
        string request_id; ReviewOptions review; optional bool multi_plan; bool is_spec;
        map<string, TodoHint> todo_hints""",
    "agent.v1.TodoHint": "string agent; Duration estimated_time",
    "agent.v1.ReviewOptions": """
        Duration expires_after; int32 required_approvals; bool require_reviewer""",
    "agent.v1.CreatePlanResponse": "CreatePlanResult result; Plan plan; int32 reviewers_watching",
    "agent.v1.Plan": """
        string plan_uri; string plan_id; string file_name; string name; string overview;
        string plan; repeated TodoItem todos; repeated Phase phases; bool is_project; bool is_spec;
        int64 revision; string digest; PlanState state; PlanProgress progress; Review review;
        string session_id; string created_by; repeated string edited_by;
        repeated string referenced_by; map<string, TodoIds> built_by;
        Timestamp create_time; Timestamp update_time""",
    "agent.v1.TodoIds": "repeated string todo_ids",
    "agent.v1.Review": """
        string approval_request_id; string plan_uri; int64 revision; string digest;
        ReviewStatus status; ReviewOutcome outcome; repeated Decision decisions;
        int32 required_approvals; DecisionSource source; string rule; Timestamp request_time;
        Timestamp decide_time; Timestamp deliver_time; Timestamp acknowledge_time;
        Timestamp consume_time; Timestamp expire_time; int32 reviewers_watching""",
    "agent.v1.Decision": """
        string reviewer; string selected_option; string feedback_text; Timestamp time""",
    "agent.v1.UpdatePlanRequest": """
        string plan_uri; int64 expected_revision; CreatePlanArgs args; string old_str;
        string new_str; string agent_id; string request_id; bool whole; bool is_spec""",
    "agent.v1.UpdatePlanResponse": "Plan plan",
    "agent.v1.GetPlanRequest": "string plan_uri; optional int64 revision",
    "agent.v1.GetPlanResponse": "Plan plan",
    "agent.v1.ListPlansRequest": """
        string session_id; string agent_id; repeated PlanState states; int32 page_size;
        string page_token""",
    "agent.v1.ListPlansResponse": "repeated Plan plans; string next_page_token",
    "agent.v1.ReviewPlanRequest": "string plan_uri; string cursor; bool follow",
    "agent.v1.ReviewPlanResponse": "ReviewEvent event",
    "agent.v1.ReviewEvent": """
        string cursor; ReviewEventType type; Timestamp event_time; string plan_uri; string plan_id;
        string approval_request_id; string session_id; int64 revision; string digest;
        FsmState fsm_state; string actor; PlanSummary plan_summary; Review review; Plan plan;
        repeated TodoItem todos; Comment comment; Build build; string message""",
    "agent.v1.PlanSummary": """
        string goal; int32 subtasks_count; Duration total_estimated_time;
        repeated SubtaskSummary subtasks""",
    "agent.v1.SubtaskSummary": """
        string id; string description; string agent; Duration estimated_time""",
    "agent.v1.BuildTodosRequest": """
        string plan_uri; string agent_id; repeated string todo_ids; string expected_digest;
        Duration lease; string request_id""",
    "agent.v1.BuildTodosResponse": """
        string build_id; repeated TodoItem todos; repeated BuildTodosResponse.Wave waves;
        string prompt; int64 revision; string digest; Timestamp lease_expire_time""",
    "agent.v1.BuildTodosResponse.Wave": "repeated string todo_ids",
    "agent.v1.UpdateTodosRequest": """
        string plan_uri; UpdateTodosArgs args; string agent_id; string build_id;
        string request_id""",
    "agent.v1.UpdateTodosResponse": "UpdateTodosResult result",
    "agent.v1.ReadTodosRequest": "string plan_uri; ReadTodosArgs args",
    "agent.v1.ReadTodosResponse": "ReadTodosResult result",
    "agent.v1.FinishBuildRequest": """
        string build_id; BuildOutcome outcome; string summary; string request_id""",
    "agent.v1.FinishBuildResponse": """
        Plan plan; int32 completed; int32 failed; int32 total; Duration duration""",
    "aiserver.v1.CreatePlanRequest": """
        CreatePlanParams params; string session_id; string agent_id; string request_id;
        agent.v1.ReviewOptions review""",
    "aiserver.v1.CreatePlanResponse": "agent.v1.ReviewEvent event; CreatePlanResult result",
    "aiserver.v1.ListReviewsRequest": """
        string session_id; repeated agent.v1.ReviewStatus statuses; int32 page_size;
        string page_token""",
    "aiserver.v1.ListReviewsResponse": "repeated ReviewItem reviews",
    "aiserver.v1.ReviewItem": """
        agent.v1.Review review; agent.v1.Plan plan; agent.v1.PlanSummary summary;
        repeated PlanChoice choices""",
    "aiserver.v1.GetReviewRequest": "string approval_request_id; string plan_uri",
    "aiserver.v1.GetReviewResponse": """
        ReviewItem item; repeated agent.v1.Comment comments;
        repeated agent.v1.RevisionInfo revisions""",
    "aiserver.v1.WatchReviewsRequest": """
        string session_id; string cursor; repeated agent.v1.ReviewEventType types;
        bool snapshot""",
    "aiserver.v1.WatchReviewsResponse": "agent.v1.ReviewEvent event",
    "aiserver.v1.SubmitReviewRequest": """
        string approval_request_id; HumanReview human_review; int64 revision; string digest;
        CreatePlanParams edited; string request_id; bool edited_whole""",
    "aiserver.v1.SubmitReviewResponse": "CreatePlanResult result; agent.v1.Review review",
    "aiserver.v1.AddCommentRequest": """
        string plan_uri; int64 revision; int32 first_line; int32 last_line; string text;
        string request_id""",
    "aiserver.v1.AddCommentResponse": "agent.v1.Comment comment",
    "agent.v1.RequestApprovalRequest": """
        string session_id; string agent_id; string call_id; ToolKind kind; string tool_name;
        string command; string signature; string prompt; map<string, string> metadata;
        string plan_uri; string build_id; Duration expires_after""",
    "agent.v1.RequestApprovalResponse": """
        ApprovalState state; int32 position; ApprovalDecision decision; string feedback_text;
        DecisionSource source; string rule""",
    "agent.v1.WatchApprovalsRequest": "string session_id; string cursor",
    "agent.v1.WatchApprovalsResponse": """
        string cursor; ApprovalPrompt prompt; int32 queue_length; Approval last_decision""",
    "agent.v1.ApprovalPrompt": """
        string call_id; string session_id; ToolKind kind; string tool_name; string command;
        string message; bool can_remember; repeated PlanChoice options; string authority_token""",
    "agent.v1.ResolveApprovalRequest": """
        string session_id; string call_id; string authority_token; ApprovalDecision decision;
        Remember remember; string feedback_text; string request_id""",
    "agent.v1.Remember": "RememberScope scope; string pattern; Duration expires_after",
    "agent.v1.SetModeRequest": "string session_id; SessionMode mode",
    "agent.v1.SetModeResponse": "Session session",
    "agent.v1.ConfirmFullAccessRequest": "string session_id; bool confirm",
    "agent.v1.ConfirmFullAccessResponse": "Session session",
    "agent.v1.AuthorizeToolRequest": """
        string session_id; string tool_name; ToolAccess access; string command; Struct arguments;
        string plan_uri; string build_id""",
    "agent.v1.AuthorizeToolResponse": "AuthorizationResult decision; string rule; string reason",
    "agent.v1.Session": """
        string session_id; SessionMode mode; FullAccessState full_access_state;
        FsmState fsm_state; int32 queue_length; Approval last_decision; bool can_send;
        bool waiting_for_plan_approval; string plan_uri""",
}

ENUM_VALUES: dict[str, tuple[str, str]] = {
    "agent.v1.PlanState": (
        "PLAN_STATE",
        """DRAFT IN_REVIEW CHANGES_REQUESTED APPROVED REJECTED EXPIRED BUILDING COMPLETED FAILED
        WITHDRAWN""",
    ),
    "agent.v1.PlanProgress": ("PLAN_PROGRESS", "PENDING IN_PROGRESS COMPLETE"),
    "agent.v1.ReviewStatus": ("REVIEW_STATUS", "NONE REQUESTED DONE"),
    "agent.v1.ReviewOutcome": (
        "REVIEW_OUTCOME",
        "APPROVED REJECTED CHANGES_REQUESTED MODIFIED EXPIRED WITHDRAWN SUPERSEDED",
    ),
    "agent.v1.DecisionSource": ("DECISION_SOURCE", "MANUAL AUTO"),
    "agent.v1.ReviewEventType": (
        "REVIEW_EVENT_TYPE",
        """SNAPSHOT CHECKPOINT DRAFT_UPDATED PLAN_CREATED PLAN_APPROVAL_REQUIRED PLAN_UPDATED
        COMMENT_ADDED COMMENT_RESOLVED PLAN_APPROVED PLAN_REJECTED PLAN_MODIFICATION_REQUESTED
        PLAN_EDITED REVIEW_EXPIRED PLAN_WITHDRAWN DECISION_DELIVERED DECISION_ACKNOWLEDGED
        BUILD_STARTED TODOS_CHANGED EXECUTION_COMPLETED EXECUTION_FAILED""",
    ),
    "agent.v1.BuildOutcome": ("BUILD_OUTCOME", "COMPLETED FAILED"),
    "agent.v1.ToolKind": ("TOOL_KIND", "EDIT TERMINAL MCP"),
    "agent.v1.ApprovalState": ("APPROVAL_STATE", "QUEUED ACTIVE DECIDED CANCELLED EXPIRED"),
    "agent.v1.ApprovalDecision": ("APPROVAL_DECISION", "APPROVED APPROVED_FOR_SESSION DENIED"),
    "agent.v1.RememberScope": ("REMEMBER_SCOPE", "SESSION WORKSPACE"),
    "agent.v1.SessionMode": ("SESSION_MODE", "AGENT PLAN FULL_ACCESS"),
    "agent.v1.FullAccessState": ("FULL_ACCESS_STATE", "HIDDEN PENDING_CONFIRMATION ACTIVE"),
    "agent.v1.ToolAccess": ("TOOL_ACCESS", "READ WRITE EXECUTE"),
    "agent.v1.AuthorizationResult": ("AUTHORIZATION_RESULT", "ALLOW CONFIRM DENY"),
    "agent.v1.FsmState": (
        "FSM_STATE",
        """IDLE CLASSIFY PLAN_REQUIRED ARCHITECT_PLANNING PLAN_REVIEW PLAN_EXECUTION COMPLETED
        ERROR_HANDLING""",
    ),
    "agent.v1.FsmEvent": (
        "FSM_EVENT",
        """RECEIVE_MESSAGE IS_ATOMIC_TRUE IS_ATOMIC_FALSE ROUTE_TO_ARCHITECT PLAN_CREATED
        PLAN_APPROVED PLAN_REJECTED PLAN_MODIFICATION_REQUESTED PLAN_EXECUTION_COMPLETED
        PLAN_EXECUTION_FAILED RESET""",
    ),
}

SUPERSETS: dict[str, dict[str, int]] = {
    "agent.v1.CreatePlanRequest": {"args": 1, "tool_call_id": 2},
    "agent.v1.CreatePlanResponse": {"result": 1},
    "agent.v1.DraftPlanRequest": {"args": 1},
    "agent.v1.ReadTodosRequest": {"args": 1},
    "agent.v1.ReadTodosResponse": {"result": 1},
    "agent.v1.UpdateTodosRequest": {"args": 1},
    "agent.v1.UpdateTodosResponse": {"result": 1},
    "aiserver.v1.CreatePlanRequest": {"params": 1},
    "aiserver.v1.TodoReadRequest": {"params": 1},
    "aiserver.v1.TodoReadResponse": {"result": 1},
    "aiserver.v1.TodoWriteRequest": {"params": 1},
    "aiserver.v1.TodoWriteResponse": {"result": 1},
}
"""Messages that are mirrored ones with our fields around: the mirrored fields and their numbers."""
