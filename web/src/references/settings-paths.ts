export const USER_SETTINGS_PATH = "/settings/user";
export const AUTHENTICATOR_ADD_PATH = `${USER_SETTINGS_PATH}/totps/add`;
export const RECOVERY_CODES_PATH = `${USER_SETTINGS_PATH}/recovery-codes`;

export const MEMBERS_PATH = "/settings/members";
export const MEMBER_INVITE_PATH = `${MEMBERS_PATH}/invite`;

export const ORGANIZATION_PATH = "/settings/organization";
export const RENAME_PATH = `${ORGANIZATION_PATH}/rename`;
export const LEAVE_PATH = `${ORGANIZATION_PATH}/leave`;
export const DELETE_PATH = `${ORGANIZATION_PATH}/delete`;

export const authenticatorPath = (totpID: string, action: "edit" | "delete") =>
  `${USER_SETTINGS_PATH}/totps/${encodeURIComponent(totpID)}/${action}`;

export const memberPath = (memberID: string, action: "edit" | "remove") =>
  `${MEMBERS_PATH}/${encodeURIComponent(memberID)}/${action}`;
