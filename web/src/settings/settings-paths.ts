export const USER_SETTINGS_PATH = "/settings/user";
export const AUTHENTICATOR_ADD_PATH = `${USER_SETTINGS_PATH}/totps/add`;
export const LEAVE_PATH = `${USER_SETTINGS_PATH}/leave`;
export const MEMBER_INVITE_PATH = `${USER_SETTINGS_PATH}/members/invite`;

export const authenticatorPath = (totpID: string, act: "edit" | "delete") =>
  `${USER_SETTINGS_PATH}/totps/${encodeURIComponent(totpID)}/${act}`;

export const memberPath = (memberID: string, act: "edit" | "remove") =>
  `${USER_SETTINGS_PATH}/members/${encodeURIComponent(memberID)}/${act}`;
