import { memberRoles, type MemberRole } from "@lightkeeper/contract";
import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";
import { RadioCard, RadioGroup } from "../ui/forms/radio-group.tsx";
import { memberRoleLabels } from "../references/member-role-labels.ts";

interface RoleChoiceProps<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  name: FieldPath<Values>;
  error: string | undefined;
}

export function RoleChoice<Values extends FieldValues & { role: MemberRole }>(
  props: RoleChoiceProps<Values>,
) {
  const { form, name, error } = props;
  return (
    <RadioGroup label="Role" error={error}>
      {memberRoles.map((role) => (
        <RadioCard key={role} {...form.register(name)} value={role} {...memberRoleLabels[role]} />
      ))}
    </RadioGroup>
  );
}
