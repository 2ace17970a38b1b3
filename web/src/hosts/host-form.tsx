import { type HostV2, HostV2Create, type NetworkV2 } from "@lightkeeper/contract";
import { PORT_MAX, STATIC_ADDRESSES_MAX } from "@lightkeeper/contract/limits";
import { lazy, Suspense, useState } from "react";
import { Controller, useForm, useWatch, type UseFormReturn } from "react-hook-form";
import { EditForm } from "../forms/edit-form.tsx";
import { descriptionMessage, ownerMessage } from "../forms/length-messages.ts";
import { validateWith } from "../forms/name-fields.tsx";
import { reword } from "../lib/errors.ts";
import { cidrsOf } from "./network-cidrs.ts";
import { FormPreview, useFormPreview } from "../preview/access-preview.tsx";
import type { PreviewMutations } from "../preview/preview-values.ts";
import { RolePicker } from "../pickers/role-picker.tsx";
import { TagPicker } from "../pickers/tag-picker.tsx";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { Field, NumberInput, TextArea, TextInput } from "../ui/forms/field.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { PlusIcon } from "../ui/base/icons.tsx";
import { ListInput } from "../ui/on-demand/list-input.tsx";
import { hostKinds, hostPath, type HostKind } from "../references/host-link.tsx";
import { validateName, validatePort, validateStaticAddresses, hostErrorMessages } from "./host-validation.ts";
import { NetworkFields } from "./host-network-fields.tsx";
import {
  emptyHost,
  locateFullRange,
  mapAddressErrors,
  trimEmptyLines,
  toValues,
  type HostValues,
} from "./host-values.ts";

const OverridesEditor = lazy(async () => ({
  default: (await import("../tags/overrides-editor.tsx")).OverridesEditor,
}));

interface HostFormProps {
  kind: HostKind;
  /** The host to edit; omit it to create one. */
  host?: HostV2 | undefined;
  /** The networks that a new host can be in. */
  networks?: readonly NetworkV2[] | undefined;
  /** The preselected network of a new host. */
  networkID?: string | null | undefined;
  /** The preselected role of a new host. */
  roleID?: string | undefined;
  /** The call that saves the values, for the preview. */
  toMutations: (values: HostValues) => PreviewMutations;
  save: (values: HostValues) => Promise<unknown>;
}

const linkToBilling = (code: string) =>
  code === "ERR_LIMIT_EXCEEDED" && (
    <LinkButton to="/settings/billing" size="small">
      Go to billing
    </LinkButton>
  );

export function HostForm(props: HostFormProps) {
  const { kind, host, networks = [], networkID = null, roleID, toMutations, save } = props;
  const latest = host && toValues(host);
  const form = useForm<HostValues>({ defaultValues: latest ?? emptyHost(kind, networkID, roleID) });
  const preview = useFormPreview({
    form,
    toMutations: (values) => toMutations(trimEmptyLines(values)),
    nameOf: ({ name }) => name,
    rules: hostErrorMessages,
  });
  function saveTrimmed(values: HostValues) {
    const trimmed = trimEmptyLines(values);
    form.setValue("staticAddresses", trimmed.staticAddresses);
    const mapErrors = (error: unknown) => {
      const cidrs = cidrsOf(networks, trimmed.networkID) ?? [];
      const reworded = reword(locateFullRange(error, trimmed, cidrs), hostErrorMessages);
      throw mapAddressErrors(reworded, trimmed, cidrs);
    };
    return preview.save(trimmed, () => save(trimmed).catch(mapErrors));
  }
  return (
    <EditForm
      form={form}
      noun={kind}
      latest={latest}
      save={saveTrimmed}
      rules={hostErrorMessages}
      errorAction={linkToBilling}
      submitLabel={host ? "Save" : `Add ${kind}`}
      cancelTo={host ? hostPath(host) : hostKinds[kind].path}
    >
      <Field label="Name" error={form.formState.errors.name?.message}>
        <TextInput
          {...form.register("name", { validate: validateName })}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          autoFocus={!host}
          dir="auto"
        />
      </Field>
      {!host && <NetworkFields form={form} networks={networks} />}
      <AccessFields form={form} />
      <DetailsFields form={form} />
      <ConnectivityFields form={form} kind={kind} />
      <NebulaSettingsFields form={form} />
      <FormPreview {...preview.props} />
    </EditForm>
  );
}

const descriptionRules = validateWith(HostV2Create.shape.description, descriptionMessage);
const ownerRules = validateWith(HostV2Create.shape.owner, ownerMessage);

function DetailsFields({ form }: { form: UseFormReturn<HostValues> }) {
  const { errors } = form.formState;
  return (
    <>
      <Field label="Description" optional error={errors.description?.message}>
        <TextArea {...form.register("description", descriptionRules)} rows={2} />
      </Field>
      <Field
        label="Owner"
        optional
        error={errors.owner?.message}
        hint="The person or team to contact about this host."
      >
        <TextInput {...form.register("owner", ownerRules)} autoComplete="off" dir="auto" />
      </Field>
    </>
  );
}

function AccessFields({ form }: { form: UseFormReturn<HostValues> }) {
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
            hint="The role’s rules decide who can reach this host. With no role, only tag rules apply."
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
            hint="Tags can add rules, routes and Nebula settings."
          />
        )}
      />
    </>
  );
}

const staticAddressHints: Readonly<Record<HostKind, string>> = {
  host: "Only needed if this host has a fixed public address. Put an IPv6 address in brackets: [2001:db8::7]:4242.",
  lighthouse:
    "Public IP address or DNS name, with port. Every host must be able to reach it. Put an IPv6 address in brackets: [2001:db8::7]:4242.",
  relay:
    "Public IP address or DNS name, with port. If empty, hosts find the relay through lighthouses. Put an IPv6 address in brackets: [2001:db8::7]:4242.",
};

function ConnectivityFields({ form, kind }: { form: UseFormReturn<HostValues>; kind: HostKind }) {
  const { errors } = form.formState;
  return (
    <FormSection title="Connectivity">
      <Controller
        control={form.control}
        name="staticAddresses"
        rules={{ validate: (addresses) => validateStaticAddresses(addresses, kind) }}
        render={({ field }) => (
          <ListInput
            {...field}
            label="Static addresses"
            noun="static address"
            optional={kind !== "lighthouse"}
            placeholder="203.0.113.7:4242"
            hint={staticAddressHints[kind]}
            max={STATIC_ADDRESSES_MAX}
            error={errors.staticAddresses?.message}
            errors={field.value.map((_, index) => errors.staticAddresses?.[index]?.message)}
          />
        )}
      />
      <Field
        label="Listen port"
        optional={kind === "host"}
        error={errors.listenPort?.message}
        hint={
          kind === "host"
            ? "UDP. Leave empty to use a random port."
            : `UDP. Allow this port through any firewall in front of the ${kind}.`
        }
      >
        <NumberInput
          {...form.register("listenPort", { validate: (port) => validatePort(port, kind) })}
          min={1}
          max={PORT_MAX}
          placeholder={kind === "host" ? "Random" : undefined}
        />
      </Field>
    </FormSection>
  );
}

/** Few hosts have their own settings, so the editor loads on demand. */
function NebulaSettingsFields({ form }: { form: UseFormReturn<HostValues> }) {
  const { errors } = form.formState;
  const [hostTags, overrides] = useWatch({ control: form.control, name: ["tags", "configOverrides"] });
  const [isOpen, setOpen] = useState(false);
  if (!isOpen && overrides.length === 0)
    return (
      <FormSection title="Nebula settings">
        <div>
          <Button icon={<PlusIcon />} onClick={() => setOpen(true)}>
            Override settings
          </Button>
        </div>
      </FormSection>
    );
  return (
    <FormSection title="Nebula settings">
      <Suspense>
        <Controller
          control={form.control}
          name="configOverrides"
          render={({ field: { value, onChange } }) => (
            <OverridesEditor
              value={value}
              onChange={onChange}
              owner={{ hostTags }}
              errors={value.map((_, index) => {
                const error = errors.configOverrides?.[index];
                return error?.message ?? error?.value?.message ?? error?.key?.message;
              })}
            />
          )}
        />
      </Suspense>
    </FormSection>
  );
}
