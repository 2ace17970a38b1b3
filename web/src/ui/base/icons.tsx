import { icon, type IconProps } from "./icon.tsx";

export type { IconProps };

const circle = (x: number, y: number, r: number) =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

export const HostsIcon = /* @__PURE__ */ icon(
  "M3.5 3h9a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM3.5 9h9a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-2a1 1 0 0 1 1-1zM5 5h.01M5 11h.01",
);
export const LighthouseIcon = /* @__PURE__ */ icon(
  "M6.2 6h3.6l1 7.5H5.2zM6.5 3.5h3V6h-3zM8 1.6v1.9M1.8 5.2l3-.6M14.2 5.2l-3-.6",
);
export const RelayIcon = /* @__PURE__ */ icon("M2 5h9L8.5 2.5M14 11H5l2.5 2.5");
export const RouteIcon = /* @__PURE__ */ icon(
  `${circle(3.5, 12.5, 1.6)}${circle(12.5, 3.5, 1.6)}M5.2 12.5h4.3a2.5 2.5 0 0 0 0-5h-3a2.5 2.5 0 0 1 0-5h4.3`,
);
export const RoleIcon = /* @__PURE__ */ icon("M8 1.8l5 2v4c0 3.2-2.1 5.4-5 6.4-2.9-1-5-3.2-5-6.4v-4z");
export const CertificateIcon = /* @__PURE__ */ icon(
  `${circle(8, 6.5, 3.6)}M5.8 9.4L5 14.2l3-1.6 3 1.6-.8-4.8`,
);
export const TagIcon = /* @__PURE__ */ icon("M2.5 2.5h5l6 6-5 5-6-6zM5.3 5.3h.01");
export const LogIcon = /* @__PURE__ */ icon("M3 3.5h10M3 8h10M3 12.5h6");
export const SettingsIcon = /* @__PURE__ */ icon(
  `${circle(8, 8, 2.2)}M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6L5 5M11 11l1.4 1.4M12.4 3.6L11 5M5 11l-1.4 1.4`,
);
export const SupportIcon = /* @__PURE__ */ icon(
  `${circle(8, 8, 6)}M6.2 6.3a1.8 1.8 0 1 1 2.5 1.7c-.5.3-.7.6-.7 1.2M8 11.6h.01`,
);
export const AccountIcon = /* @__PURE__ */ icon(
  `${circle(8, 5.5, 2.7)}M2.8 13.8c.7-2.7 2.7-4 5.2-4s4.5 1.3 5.2 4`,
);
export const NetworkIcon = /* @__PURE__ */ icon(
  `${circle(8, 3.2, 1.6)}${circle(3.2, 12.2, 1.6)}${circle(12.8, 12.2, 1.6)}M7.2 4.7L4 10.7M8.8 4.7L12 10.7M4.9 12.2h6.2`,
);
export const KeyIcon = /* @__PURE__ */ icon(`${circle(5, 11, 2.8)}M7 9l6.2-6.2M10.8 5.2l2 2`);
export const BillingIcon = /* @__PURE__ */ icon(
  "M2.5 3.5h11a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM1.5 6.5h13M4 10h2.5",
);
export const ChevronDownIcon = /* @__PURE__ */ icon("M4 6l4 4 4-4");
export const ChevronRightIcon = /* @__PURE__ */ icon("M6 4l4 4-4 4");
export const ChevronLeftIcon = /* @__PURE__ */ icon("M10 4L6 8l4 4");
export const ArrowUpIcon = /* @__PURE__ */ icon("M8 13V3M4 7l4-4 4 4");
export const ArrowDownIcon = /* @__PURE__ */ icon("M8 3v10M4 9l4 4 4-4");
export const ColumnsIcon = /* @__PURE__ */ icon("M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10");
export const BlockIcon = /* @__PURE__ */ icon(`${circle(8, 8, 5.8)}M4 4l8 8`);
export const TerminalIcon = /* @__PURE__ */ icon("M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10.2h3");
export const ViewIcon = /* @__PURE__ */ icon("M3.5 2.5h9v11L8 10.6l-4.5 2.9z");
export const MenuIcon = /* @__PURE__ */ icon("M2.5 4.5h11M2.5 8h11M2.5 11.5h11");
export const CloseIcon = /* @__PURE__ */ icon("M4 4l8 8M12 4l-8 8");
export const CopyIcon = /* @__PURE__ */ icon(
  "M6.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1zM3.5 10.5a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1",
);
export const CheckIcon = /* @__PURE__ */ icon("M3 8.5l3.3 3.3L13 4.8");
export const PlusIcon = /* @__PURE__ */ icon("M8 3v10M3 8h10");
export const FilterIcon = /* @__PURE__ */ icon("M2 4h12M4.5 8h7M7 12h2");
export const SearchIcon = /* @__PURE__ */ icon(`${circle(7, 7, 4.6)}M10.5 10.5l3.5 3.5`);
export const ExternalIcon = /* @__PURE__ */ icon(
  "M9.5 2.5h4v4M13.5 2.5L7.5 8.5M11.5 9.5v3a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1h3",
);
export const WarningIcon = /* @__PURE__ */ icon("M8 2.2l6.2 11.3H1.8zM8 6.5v3M8 11.6h.01");
export const InfoIcon = /* @__PURE__ */ icon(`${circle(8, 8, 6)}M8 7.5v3.5M8 5h.01`);
export const TrashIcon = /* @__PURE__ */ icon(
  "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 8.1a1 1 0 0 0 1 .9h4.8a1 1 0 0 0 1-.9l.6-8.1M6.7 7.2v3.6M9.3 7.2v3.6",
);
export const EditIcon = /* @__PURE__ */ icon("M10.8 2.8l2.4 2.4-7.8 7.8-3.1.7.7-3.1zM9.2 4.4l2.4 2.4");
export const MoreIcon = /* @__PURE__ */ icon(`${circle(3, 8, 0.5)}${circle(8, 8, 0.5)}${circle(13, 8, 0.5)}`);
export const GripIcon = /* @__PURE__ */ icon("M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01");
export const RefreshIcon = /* @__PURE__ */ icon("M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.8v2.7h-2.7");
export const DownloadIcon = /* @__PURE__ */ icon("M8 2.5v7.5M4.8 7.2L8 10.3l3.2-3.1M2.5 13.5h11");
export const LogoutIcon = /* @__PURE__ */ icon(
  "M6.5 2.5h-3a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1h3M10 5l3 3-3 3M13 8H6.5",
);
export const MailIcon = /* @__PURE__ */ icon(
  "M2.5 3.5h11a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM2 4.5l6 4.5 6-4.5",
);
