import {
  CHANNEL_ADDRESSES_MAX,
  NotificationChannelCreate,
  notificationChannelTypes,
} from "@lightkeeper/contract";
import { useController, useForm, type UseFormReturn } from "react-hook-form";
import { EditForm } from "../forms/edit-form.tsx";
import { nameMessage } from "../forms/length-messages.ts";
import { validateWith } from "../forms/name-fields.tsx";
import type { Rule } from "../lib/messages.ts";
import { NOTIFICATIONS_PATH } from "../references/notification-paths.ts";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { RadioCard, RadioGroup } from "../ui/forms/radio-group.tsx";
import { ListInput } from "../ui/on-demand/list-input.tsx";
import { type ChannelValues, newChannel } from "./channel-values.ts";
import { channelTypes } from "./notification-labels.ts";

const rules: readonly Rule[] = [
  {
    codes: ["ERR_LIMIT_EXCEEDED"],
    message:
      "Your organization has the maximum number of notification channels. Delete one you no longer need.",
  },
  { codes: ["ERR_INVALID_EMAIL"], message: "One of the recipients isn’t an email address." },
];

const nameRules = validateWith(NotificationChannelCreate.shape.name, nameMessage);

interface ChannelFormProps {
  initial?: ChannelValues;
  /** The current values on the server; omit them to create a channel. */
  latest?: ChannelValues;
  submitLabel: string;
  save: (values: ChannelValues) => Promise<unknown>;
}

export function ChannelForm({ initial = newChannel, latest, submitLabel, save }: ChannelFormProps) {
  const form = useForm<ChannelValues>({ defaultValues: initial });
  const { errors } = form.formState;
  const type = form.watch("type");
  return (
    <EditForm
      form={form}
      noun="notification channel"
      latest={latest}
      save={save}
      rules={rules}
      submitLabel={submitLabel}
      cancelTo={NOTIFICATIONS_PATH}
    >
      {!latest && (
        <RadioGroup label="Type" error={errors.type?.message}>
          {notificationChannelTypes.map((value) => (
            <RadioCard key={value} value={value} {...channelTypes[value]} {...form.register("type")} />
          ))}
        </RadioGroup>
      )}
      <Field label="Name" hint="Shown in rules, such as #ops-alerts." error={errors.name?.message}>
        <TextInput {...form.register("name", nameRules)} autoComplete="off" dir="auto" />
      </Field>
      {type === "EMAIL" ? <Addresses form={form} /> : <UrlField form={form} />}
      <Checkbox
        label="Enabled"
        hint="A disabled channel receives no messages."
        {...form.register("isEnabled")}
      />
    </EditForm>
  );
}

function Addresses({ form }: { form: UseFormReturn<ChannelValues> }) {
  const { field, fieldState } = useController({
    control: form.control,
    name: "addresses",
    rules: {
      validate: (addresses) =>
        addresses.some((address) => address.trim() !== "") || "Enter an email address.",
    },
  });
  return (
    <ListInput
      {...field}
      label="Recipients"
      noun="recipient"
      placeholder="on-call@example.com"
      max={CHANNEL_ADDRESSES_MAX}
      error={fieldState.error?.message}
    />
  );
}

const urlHints: Partial<Record<ChannelValues["type"], string>> = {
  SLACK: "The incoming webhook’s URL from Slack.",
  TEAMS: "The URL of a Workflows webhook from Teams.",
  AUDIT_STREAM: "Your SIEM’s HTTPS endpoint. It receives newline-delimited JSON.",
  WEBHOOK: "Your service’s HTTPS endpoint.",
};

function UrlField({ form }: { form: UseFormReturn<ChannelValues> }) {
  const type = form.watch("type");
  return (
    <Field label="URL" hint={urlHints[type]} error={form.formState.errors.url?.message}>
      <TextInput
        {...form.register("url", {
          validate: (url) => URL.canParse(url.trim()) || "Enter a URL that starts with https://.",
        })}
        mono
        type="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://hooks.example.com/…"
      />
    </Field>
  );
}
