/** What a person can choose, by the words on the wire. */

export const APPROVE = "approve";
export const REJECT = "rejectAndTellWhatToDoDifferently";
export const CHANGES = "requestChanges";
export const EDIT = "edit";
