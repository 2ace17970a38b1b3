import { ENDPOINT_VALID_DAYS_MAX } from "@lightkeeper/contract/limits";
import { Controller } from "react-hook-form";
import { NetworkPicker } from "../pickers/network-picker.tsx";
import { RolePicker } from "../pickers/role-picker.tsx";
import { TagPicker } from "../pickers/tag-picker.tsx";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { Field, NumberInput } from "../ui/forms/field.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import type { SsoFormState } from "./sso-values.ts";

export function DeviceFields({ form }: { form: SsoFormState }) {
  const errors = form.formState.errors.endpoint;
  return (
    <FormSection title="Device enrollment">
      <Controller
        control={form.control}
        name="endpoint.networkID"
        render={({ field }) => (
          <NetworkPicker
            {...field}
            label="Network"
            none="No devices"
            error={errors?.networkID?.message}
            hint="The network that enrolled devices join. Devices are named after their owner."
          />
        )}
      />
      <Controller
        control={form.control}
        name="endpoint.roleID"
        render={({ field }) => (
          <RolePicker {...field} label="Role of devices" none="No role" error={errors?.roleID?.message} />
        )}
      />
      <Controller
        control={form.control}
        name="endpoint.tags"
        render={({ field }) => (
          <TagPicker {...field} label="Tags of devices" optional error={errors?.tags?.message} />
        )}
      />
      <Field
        label="Days until people must sign in again"
        error={errors?.validDays?.message}
        hint="A device’s certificate expires at the same time."
      >
        <NumberInput
          {...form.register("endpoint.validDays", { valueAsNumber: true })}
          min={1}
          max={ENDPOINT_VALID_DAYS_MAX}
        />
      </Field>
      <Checkbox
        {...form.register("endpoint.requiresApproval")}
        label="Require an administrator’s approval for each new device"
        hint="A device waits until an administrator approves it. Requests expire after 24 hours."
      />
    </FormSection>
  );
}
