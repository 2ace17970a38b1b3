import { useEffect } from "react";

export const PRODUCT_NAME = "Lightkeeper";

export function usePageTitle(page: string): void {
  useEffect(() => {
    document.title = `${page} - ${PRODUCT_NAME}`;
  }, [page]);
}

export function PageTitle({ children }: { children: string }): null {
  usePageTitle(children);
  return null;
}
