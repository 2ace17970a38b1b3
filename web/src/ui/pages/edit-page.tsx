import type { ReactNode } from "react";
import { Breadcrumb, type Crumb } from "./breadcrumb.tsx";
import { EditorPage, FormPage } from "./form-page.tsx";
import { PageHeader } from "./page-header.tsx";

interface EditPageProps {
  crumbs: readonly Crumb[];
  /** The name of the object. */
  name: string;
  actions?: ReactNode;
  /** The form shows a panel beside itself. */
  hasAside?: boolean | undefined;
  children: ReactNode;
}

/** A page that changes an object. */
export function EditPage({ crumbs, name, actions, hasAside = false, children }: EditPageProps) {
  const header = (
    <PageHeader
      breadcrumb={<Breadcrumb crumbs={crumbs} />}
      title={
        <>
          Edit <bdi>{name}</bdi>
        </>
      }
      actions={actions}
    />
  );
  if (hasAside) return <EditorPage header={header}>{children}</EditorPage>;
  return (
    <FormPage>
      {header}
      {children}
    </FormPage>
  );
}
