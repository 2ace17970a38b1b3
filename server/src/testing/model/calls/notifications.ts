import {
  createNotificationChannel,
  createNotificationRule,
  deleteNotificationChannel,
  deleteNotificationRule,
  updateNotificationChannel,
  updateNotificationRule,
} from "@lightkeeper/contract";
import { callApi, type Caller } from "../call.ts";
import { chooseCaller, chooseID, type Choices, NAMES, TAGS } from "../choices.ts";
import { writing } from "../permissions.ts";
import { findByID, getByID, type Organization, record, removeByID, type State } from "../state.ts";
import type { CallFactories } from "./factories.ts";

const EMAIL_TARGET = { addresses: ["ops@example.com"], url: null };
const WEBHOOK_TARGET = { addresses: [], url: "https://hooks.example.com/lightkeeper" };

function chooseRuleBody(state: State, caller: Caller, choices: Choices) {
  const channelID = chooseID(state, caller, choices, ({ channels }) => channels);
  const roleID = chooseID(state, caller, choices, ({ roles }) => roles);
  if (channelID === undefined) return undefined;
  const eventType = choices.pick(["HOST_OFFLINE", "HOST_BLOCKED", "MEMBER_ADDED"] as const);
  const isAboutHosts = eventType !== "MEMBER_ADDED";
  return {
    eventType,
    thresholdMinutes: eventType === "HOST_OFFLINE" ? 5 : null,
    tags: isAboutHosts && choices.sometimes(30) ? [choices.pick(TAGS)] : [],
    roleIDs: isAboutHosts && roleID !== undefined && choices.sometimes(30) ? [roleID] : [],
    channelIDs: [channelID],
  };
}
type RuleBody = NonNullable<ReturnType<typeof chooseRuleBody>>;

/** A role or tag that was deleted may stay in a rule. */
const problemsOf = (organization: Organization, body: RuleBody, ruleID?: string) => {
  const before = findByID(organization.notificationRules, ruleID ?? "");
  const isKnownTag = (tag: string) =>
    organization.tags.some(({ name }) => name === tag) || before?.tags.includes(tag) === true;
  const isKnownRole = (id: string) =>
    findByID(organization.roles, id) !== undefined || before?.roleIDs.includes(id) === true;
  return [
    !body.channelIDs.every((id) => findByID(organization.channels, id)) && "ERR_INVALID_REFERENCE",
    !body.tags.every(isKnownTag) && "ERR_INVALID_REFERENCE",
    !body.roleIDs.every(isKnownRole) && "ERR_INVALID_REFERENCE",
  ] as const;
};

export const notificationCalls: CallFactories = {
  createChannel: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const type = choices.pick(["WEBHOOK", "EMAIL"] as const);
    const isComplete = !choices.sometimes(10);
    const target = (type === "EMAIL") === isComplete ? EMAIL_TARGET : WEBHOOK_TARGET;
    const body = { type, name: choices.pick(NAMES), isEnabled: !choices.sometimes(30), ...target };
    return callApi({
      caller,
      permission: writing("notification-channels:create"),
      name: "createChannel",
      endpoint: createNotificationChannel,
      input: { body },
      predict: (_, actor) => ({
        problems: [!isComplete && "ERR_INVALID_VALUE"],
        change: (changed, data) => {
          const id = data?.id ?? "new";
          changed.channels.push({ id, ...body });
          record(changed, actor, ["notificationChannel", id], "CREATED");
        },
        response: ({ channels }) => channels.at(-1),
      }),
    });
  },

  updateChannel: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const channelID = chooseID(state, caller, choices, ({ channels }) => channels);
    if (channelID === undefined) return undefined;
    const target = choices.pick([WEBHOOK_TARGET, EMAIL_TARGET]);
    const body = { name: choices.pick(NAMES), isEnabled: !choices.sometimes(30), ...target };
    return callApi({
      caller,
      permission: writing("notification-channels:update"),
      name: "updateChannel",
      endpoint: updateNotificationChannel,
      input: { params: { channelID }, body },
      predict: ({ channels }, actor) => {
        const before = findByID(channels, channelID);
        const isFitting = before && (before.type === "EMAIL") === (target === EMAIL_TARGET);
        return {
          problems: [!before && "ERR_NOT_FOUND", before && !isFitting && "ERR_INVALID_VALUE"],
          change: (changed) => {
            Object.assign(getByID(changed.channels, channelID), body);
            record(changed, actor, ["notificationChannel", channelID], "UPDATED");
          },
          response: (changed) => getByID(changed.channels, channelID),
        };
      },
    });
  },

  /** The rules of a deleted channel stay, without the channel. */
  deleteChannel: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const channelID = chooseID(state, caller, choices, ({ channels }) => channels);
    if (channelID === undefined) return undefined;
    return callApi({
      caller,
      permission: writing("notification-channels:delete"),
      name: "deleteChannel",
      endpoint: deleteNotificationChannel,
      input: { params: { channelID } },
      predict: ({ channels }, actor) => ({
        problems: [!findByID(channels, channelID) && "ERR_NOT_FOUND"],
        change: (changed) => {
          removeByID(changed.channels, channelID);
          record(changed, actor, ["notificationChannel", channelID], "DELETED");
          for (const rule of changed.notificationRules.filter((each) =>
            each.channelIDs.includes(channelID),
          )) {
            rule.channelIDs = rule.channelIDs.filter((id) => id !== channelID);
            record(changed, actor, ["notificationRule", rule.id], "UPDATED");
          }
        },
      }),
    });
  },

  createNotificationRule: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const body = chooseRuleBody(state, caller, choices);
    if (!body) return undefined;
    return callApi({
      caller,
      permission: writing("notification-rules:create"),
      name: "createNotificationRule",
      endpoint: createNotificationRule,
      input: { body },
      predict: (organization, actor) => ({
        problems: problemsOf(organization, body),
        change: (changed, data) => {
          const id = data?.id ?? "new";
          changed.notificationRules.push({ id, ...body });
          record(changed, actor, ["notificationRule", id], "CREATED");
        },
        response: ({ notificationRules }) => notificationRules.at(-1),
      }),
    });
  },

  updateNotificationRule: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const ruleID = chooseID(state, caller, choices, ({ notificationRules }) => notificationRules);
    const body = chooseRuleBody(state, caller, choices);
    if (ruleID === undefined || !body) return undefined;
    return callApi({
      caller,
      permission: writing("notification-rules:update"),
      name: "updateNotificationRule",
      endpoint: updateNotificationRule,
      input: { params: { ruleID }, body },
      predict: (organization, actor) => ({
        problems: [
          !findByID(organization.notificationRules, ruleID) && "ERR_NOT_FOUND",
          ...problemsOf(organization, body, ruleID),
        ],
        change: (changed) => {
          Object.assign(getByID(changed.notificationRules, ruleID), body);
          record(changed, actor, ["notificationRule", ruleID], "UPDATED");
        },
        response: (changed) => getByID(changed.notificationRules, ruleID),
      }),
    });
  },

  deleteNotificationRule: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const ruleID = chooseID(state, caller, choices, ({ notificationRules }) => notificationRules);
    if (ruleID === undefined) return undefined;
    return callApi({
      caller,
      permission: writing("notification-rules:delete"),
      name: "deleteNotificationRule",
      endpoint: deleteNotificationRule,
      input: { params: { ruleID } },
      predict: ({ notificationRules }, actor) => ({
        problems: [!findByID(notificationRules, ruleID) && "ERR_NOT_FOUND"],
        change: (changed) => {
          removeByID(changed.notificationRules, ruleID);
          record(changed, actor, ["notificationRule", ruleID], "DELETED");
        },
      }),
    });
  },
};
