import type { ComponentProps } from "react";

/** 16 px, in the color of the text. Decorative: the label beside it carries the meaning. */
export type IconProps = Omit<ComponentProps<"svg">, "children">;

/** Creates an icon from the path of its strokes. */
export function icon(path: string) {
  return function Icon(props: IconProps) {
    return (
      <svg
        width={16}
        height={16}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.6}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        {...props}
      >
        <path d={path} />
      </svg>
    );
  };
}
