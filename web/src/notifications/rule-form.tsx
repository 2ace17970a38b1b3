import {
  EXPIRY_DAYS_MAX,
  fieldsOfEvent,
  notificationEventTypes,
  RULE_CHANNELS_MAX,
  THRESHOLD_MINUTES_MAX,
  THRESHOLD_MINUTES_MIN,
} from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FormProvider, useController, useForm, useFormContext, useWatch } from "react-hook-form";
import { EditForm } from "../forms/edit-form.tsx";
import { referenceGone, type Rule } from "../lib/messages.ts";
import { includesText } from "../lib/picker-options.ts";
import { TagPicker } from "../pickers/tag-picker.tsx";
import { NOTIFICATIONS_PATH } from "../references/notification-paths.ts";
import { allRolesQuery } from "../references/roles.queries.ts";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { Field, NumberInput, Select, TextInput } from "../ui/forms/field.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { MultiCombobox } from "../ui/pickers/multi-combobox.tsx";
import { channelTypes, eventLabels } from "./notification-labels.ts";
import styles from "./notifications.module.css";
import { allChannelsQuery } from "./notifications.queries.ts";
import { ruleSentence } from "./rule-sentence.ts";
import { newRule, type RuleValues, toBody } from "./rule-values.ts";
import { useRuleNames } from "./use-rule-names.ts";

const limitExceeded: Rule = {
  codes: ["ERR_LIMIT_EXCEEDED"],
  message: "Your organization has the maximum number of notification rules. Delete one you no longer need.",
};

interface RuleFormProps {
  initial?: RuleValues;
  /** The current values on the server; omit them to create a rule. */
  latest?: RuleValues;
  submitLabel: string;
  save: (values: RuleValues) => Promise<unknown>;
}

export function RuleForm({ initial, latest, submitLabel, save }: RuleFormProps) {
  const form = useForm<RuleValues>({ defaultValues: initial ?? newRule() });
  const { errors } = form.formState;
  return (
    <FormProvider {...form}>
      <EditForm
        form={form}
        noun="notification rule"
        latest={latest}
        save={save}
        rules={[referenceGone, limitExceeded]}
        submitLabel={submitLabel}
        cancelTo={NOTIFICATIONS_PATH}
      >
        <Field label="Event" error={errors.eventType?.message}>
          <Select {...form.register("eventType")} autoFocus={!latest}>
            {notificationEventTypes.map((type) => (
              <option key={type} value={type}>
                {eventLabels[type]}
              </option>
            ))}
          </Select>
        </Field>
        <EventFields />
        <ChannelPicker />
        <ScheduleFields />
        <Checkbox label="Enabled" {...form.register("isEnabled")} />
        <Sentence />
      </EditForm>
    </FormProvider>
  );
}

const wholeBetween = (min: number, max: number) => (text: string) =>
  (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) ||
  `Enter a whole number from ${min} to ${max.toLocaleString("en")}.`;

const minutesHints: Partial<Record<RuleValues["eventType"], string>> = {
  HOST_OFFLINE: "A host that calls again before that isn’t reported. Agents call about once per minute.",
  HOST_ONLINE: "Only hosts that were offline for at least this long are reported.",
  HOST_OUT_OF_SYNC: "A host that applies its configuration before that isn’t reported.",
};

function EventFields() {
  const form = useFormContext<RuleValues>();
  const { errors } = form.formState;
  const eventType = useWatch<RuleValues, "eventType">({ name: "eventType" });
  const tags = useController<RuleValues, "tags">({ name: "tags" });
  const { hosts, minutes, days } = fieldsOfEvent(eventType);
  return (
    <>
      {minutes && (
        <Field label="Minutes" hint={minutesHints[eventType]} error={errors.minutes?.message}>
          <NumberInput
            {...form.register("minutes", {
              validate: wholeBetween(THRESHOLD_MINUTES_MIN, THRESHOLD_MINUTES_MAX),
            })}
          />
        </Field>
      )}
      {days && (
        <Field label="Days before the expiry" error={errors.days?.message}>
          <NumberInput {...form.register("days", { validate: wholeBetween(1, EXPIRY_DAYS_MAX) })} />
        </Field>
      )}
      {hosts && (
        <>
          <RolesPicker />
          <TagPicker
            {...tags.field}
            label="Tags"
            optional
            hint="Only hosts that have all of these tags."
            error={tags.fieldState.error?.message}
          />
        </>
      )}
    </>
  );
}

function RolesPicker() {
  const { field, fieldState } = useController<RuleValues, "roleIDs">({ name: "roleIDs" });
  const [search, setSearch] = useState<string>();
  const { data: roles } = useQuery(allRolesQuery);
  const names = new Map(roles?.map(({ id, name }) => [id, name]));
  return (
    <Field
      label="Roles"
      optional
      hint="Only hosts that have one of these roles."
      error={fieldState.error?.message}
    >
      <MultiCombobox
        {...field}
        noun="role"
        onSearch={setSearch}
        labelOf={(id) => names.get(id) ?? "Deleted role"}
        options={roles
          ?.filter(({ name }) => includesText(name, search ?? ""))
          .map(({ id, name, description }) => ({ value: id, label: name, description }))}
      />
    </Field>
  );
}

function ChannelPicker() {
  const { field, fieldState } = useController<RuleValues, "channelIDs">({
    name: "channelIDs",
    rules: {
      validate: (ids) =>
        (ids.length > 0 && ids.length <= RULE_CHANNELS_MAX) || `Choose 1 to ${RULE_CHANNELS_MAX} channels.`,
    },
  });
  const [search, setSearch] = useState<string>();
  const { data } = useQuery(allChannelsQuery);
  const channels = data?.filter(({ type }) => type !== "AUDIT_STREAM");
  const names = new Map(channels?.map(({ id, name }) => [id, name]));
  return (
    <Field label="Channels" hint="Where the messages go." error={fieldState.error?.message}>
      <MultiCombobox
        {...field}
        noun="channel"
        onSearch={setSearch}
        labelOf={(id) => names.get(id) ?? "Deleted channel"}
        options={channels
          ?.filter(({ name }) => includesText(name, search ?? ""))
          .map(({ id, name, type }) => ({ value: id, label: name, description: channelTypes[type].label }))}
      />
    </Field>
  );
}

function ScheduleFields() {
  const form = useFormContext<RuleValues>();
  const { errors } = form.formState;
  const [digest, hasQuietHours] = useWatch<RuleValues, ["digest", "hasQuietHours"]>({
    name: ["digest", "hasQuietHours"],
  });
  return (
    <FormSection title="Schedule">
      <Field label="Send" hint="A digest lists everything since the previous one.">
        <Select {...form.register("digest")}>
          <option value="NONE">Immediately</option>
          <option value="HOURLY">As an hourly digest</option>
          <option value="DAILY">As a daily digest at 08:00</option>
        </Select>
      </Field>
      <Checkbox
        label="Quiet hours"
        hint="Messages are held back during these hours and sent together afterwards."
        {...form.register("hasQuietHours")}
      />
      {hasQuietHours && (
        <div className={styles.pair}>
          <Field label="From" error={errors.quietStart?.message}>
            <TextInput type="time" {...form.register("quietStart", { required: "Enter a time." })} />
          </Field>
          <Field label="To" error={errors.quietEnd?.message}>
            <TextInput
              type="time"
              {...form.register("quietEnd", {
                required: "Enter a time.",
                validate: (end, { quietStart }) =>
                  end !== quietStart || "Choose another time than the start.",
              })}
            />
          </Field>
        </div>
      )}
      {(hasQuietHours || digest === "DAILY") && <TimeZoneField />}
    </FormSection>
  );
}

function TimeZoneField() {
  const form = useFormContext<RuleValues>();
  return (
    <Field label="Time zone" error={form.formState.errors.timeZone?.message}>
      <TextInput {...form.register("timeZone")} autoComplete="off" list="time-zones" />
      <datalist id="time-zones">
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone}>
            {zone}
          </option>
        ))}
      </datalist>
    </Field>
  );
}

function Sentence() {
  const form = useFormContext<RuleValues>();
  const names = useRuleNames();
  // Renders again with every change; the values that it returns are incomplete while fields mount.
  form.watch();
  return names && <p className={styles.sentence}>{ruleSentence(toBody(form.getValues()), names)}</p>;
}
