import type { ReactNode } from "react";
import { Breadcrumb, type Crumb } from "./breadcrumb.tsx";
import { FormPage } from "./form-page.tsx";
import { PageHeader } from "./page-header.tsx";

interface EditPageProps {
  crumbs: readonly Crumb[];
  /** The name of the object. */
  name: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page that changes an object. */
export function EditPage({ crumbs, name, actions, children }: EditPageProps) {
  return (
    <FormPage>
      <PageHeader
        breadcrumb={<Breadcrumb crumbs={crumbs} />}
        title={
          <>
            Edit <bdi>{name}</bdi>
          </>
        }
        actions={actions}
      />
      {children}
    </FormPage>
  );
}
