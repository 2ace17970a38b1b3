import type { HostV2 } from "@lightkeeper/contract";
import { lazy, Suspense, useState } from "react";
import { Controller, useForm, useWatch, type UseFormReturn } from "react-hook-form";
import { EditForm } from "../lib/edit-form.tsx";
import { NetworkPicker } from "../references/network-picker.tsx";
import { RolePicker } from "../references/role-picker.tsx";
import { TagPicker } from "../references/tag-picker.tsx";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { Field, NumberInput, TextInput } from "../ui/forms/field.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { PlusIcon } from "../ui/base/icons.tsx";
import { ListInput } from "../ui/forms/list-input.tsx";
import { hostKinds, hostPath, type HostKind } from "../references/host-link.tsx";
import { checkName, checkPort, checkStaticAddresses, hostRules } from "./host-rules.ts";
import { emptyHost, tidied, toValues, type HostValues } from "./host-values.ts";

const OverridesEditor = lazy(async () => ({
  default: (await import("../tags/overrides-editor.tsx")).OverridesEditor,
}));

interface HostFormProps {
  kind: HostKind;
  /** As last heard from the server; without it the form makes a new one. */
  host?: HostV2 | undefined;
  /** Where a new one goes unless another network is chosen. */
  networkID?: string | null | undefined;
  save: (values: HostValues) => Promise<unknown>;
}

const billingForFullPlan = (code: string) =>
  code === "ERR_LIMIT_EXCEEDED" && (
    <LinkButton to="/settings/billing" size="small">
      Go to billing
    </LinkButton>
  );

type HostFormState = UseFormReturn<HostValues>;

export function HostForm({ kind, host, networkID = null, save }: HostFormProps) {
  const latest = host && toValues(host);
  const form = useForm<HostValues>({ defaultValues: latest ?? emptyHost(kind, networkID) });
  function saveTidied(values: HostValues) {
    const tidy = tidied(values);
    form.setValue("staticAddresses", tidy.staticAddresses);
    return save(tidy);
  }
  return (
    <EditForm
      form={form}
      noun={kind}
      latest={latest}
      save={saveTidied}
      rules={hostRules}
      errorAction={billingForFullPlan}
      submitLabel={host ? "Save" : `Add ${kind}`}
      cancelTo={host ? hostPath(host) : hostKinds[kind].path}
    >
      <Field label="Name" error={form.formState.errors.name?.message}>
        <TextInput
          {...form.register("name", { validate: checkName })}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          autoFocus={!host}
          dir="auto"
        />
      </Field>
      {!host && <PlaceFields form={form} />}
      <AccessFields form={form} />
      <ReachFields form={form} kind={kind} />
      <SettingsFields form={form} />
    </EditForm>
  );
}

/** Chosen once. */
function PlaceFields({ form }: { form: HostFormState }) {
  const { errors } = form.formState;
  return (
    <>
      <Controller
        control={form.control}
        name="networkID"
        rules={{ required: "Choose the network it joins." }}
        render={({ field }) => (
          <NetworkPicker
            {...field}
            label="Network"
            error={errors.networkID?.message}
            hint="Hosts of one network never reach those of another. It cannot be changed later."
          />
        )}
      />
      <Field
        label="Address"
        optional
        error={errors.ipAddresses?.[0]?.message ?? errors.ipAddresses?.message}
        hint="Leave empty for the lowest free one of the network. It cannot be changed later."
      >
        <TextInput {...form.register("ipAddresses.0")} mono autoComplete="off" spellCheck={false} />
      </Field>
    </>
  );
}

function AccessFields({ form }: { form: HostFormState }) {
  const { errors } = form.formState;
  return (
    <>
      <Controller
        control={form.control}
        name="roleID"
        render={({ field }) => (
          <RolePicker
            {...field}
            label="Role"
            none="No role"
            error={errors.roleID?.message}
            hint="Its rules say who may reach this host. Without a role nothing may, but for what tags allow."
          />
        )}
      />
      <Controller
        control={form.control}
        name="tags"
        render={({ field }) => (
          <TagPicker
            {...field}
            label="Tags"
            optional
            error={errors.tags?.message}
            hint="They bring rules, routes and overrides."
          />
        )}
      />
    </>
  );
}

const reachHints: Readonly<Record<HostKind, string>> = {
  host: "Only for a host that others can always find there, such as a server with a fixed public address.",
  lighthouse: "Where every host can reach it, with the port: an address or a host name.",
  relay: "Where hosts can reach it, with the port. Without one, lighthouses tell where it is.",
};

function ReachFields({ form, kind }: { form: HostFormState; kind: HostKind }) {
  const { errors } = form.formState;
  return (
    <FormSection title="How it is reached">
      <Controller
        control={form.control}
        name="staticAddresses"
        rules={{ validate: (addresses) => checkStaticAddresses(addresses, kind) }}
        render={({ field }) => (
          <ListInput
            {...field}
            label="Static addresses"
            noun="static address"
            optional={kind !== "lighthouse"}
            placeholder="203.0.113.7:4242"
            hint={reachHints[kind]}
            max={20}
            error={errors.staticAddresses?.message}
            errors={field.value.map((_, place) => errors.staticAddresses?.[place]?.message)}
          />
        )}
      />
      <Field
        label="Listen port"
        optional={kind === "host"}
        error={errors.listenPort?.message}
        hint={
          kind === "host"
            ? "UDP. Leave empty to let the system choose a free one."
            : "UDP. Firewalls in front of it must let this port through."
        }
      >
        <NumberInput
          {...form.register("listenPort", { validate: (port) => checkPort(port, kind) })}
          min={1}
          max={65_535}
          placeholder={kind === "host" ? "Any" : undefined}
        />
      </Field>
    </FormSection>
  );
}

/** Few hosts have settings of their own: their editor comes when it is asked for. */
function SettingsFields({ form }: { form: HostFormState }) {
  const { errors } = form.formState;
  const [hostTags, overrides] = useWatch({ control: form.control, name: ["tags", "configOverrides"] });
  const [isAsked, setAsked] = useState(false);
  if (!isAsked && overrides.length === 0)
    return (
      <FormSection title="Settings of Nebula">
        <div>
          <Button icon={<PlusIcon />} onClick={() => setAsked(true)}>
            Override settings
          </Button>
        </div>
      </FormSection>
    );
  return (
    <FormSection title="Settings of Nebula">
      <Suspense>
        <Controller
          control={form.control}
          name="configOverrides"
          render={({ field: { value, onChange } }) => (
            <OverridesEditor
              value={value}
              onChange={onChange}
              owner={{ hostTags }}
              errors={value.map((_, place) => {
                const error = errors.configOverrides?.[place];
                return error?.message ?? error?.value?.message ?? error?.key?.message;
              })}
            />
          )}
        />
      </Suspense>
    </FormSection>
  );
}
