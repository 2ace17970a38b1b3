import { Link } from "react-router";
import { useCurrentUser, type Person } from "../lib/current-user.ts";
import { signOut } from "../lib/session.ts";
import { AccountIcon, ChevronDownIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { registeredPaths, USER_SETTINGS_PATH } from "./navigation.ts";
import styles from "./sidebar.module.css";

export type AccountItem = { label: string; to: string } | { label: string; onSelect: () => void };

/** Only actors of type user have user settings. */
export function accountItems(
  user: Pick<Person, "actorType"> | undefined,
  registered: ReadonlySet<string> = registeredPaths,
): AccountItem[] {
  const hasSettings = user?.actorType === "user" && registered.has(USER_SETTINGS_PATH);
  return [
    ...(hasSettings ? [{ label: "User settings", to: USER_SETTINGS_PATH }] : []),
    { label: "Logout", onSelect: () => void signOut() },
  ];
}

/** The menu at the foot of the sidebar. */
export function AccountMenu() {
  const { data: user } = useCurrentUser();
  const trigger = (
    <button type="button" className={styles.item}>
      <AccountIcon />
      Your Account
      <ChevronDownIcon className={styles.mark} />
    </button>
  );
  const email = user ? [{ text: user.actor.email }, "separator" as const] : [];
  return (
    <div className={styles.account}>
      <Menu trigger={trigger} placement="top-start" items={[...email, ...accountItems(user)]} />
    </div>
  );
}

/** The items without a menu: a modal panel can't open a menu outside itself. */
export function AccountSection() {
  const { data: user } = useCurrentUser();
  return (
    <section aria-label="Your Account" className={styles.account}>
      {user && <p className={styles.email}>{user.actor.email}</p>}
      {accountItems(user).map((item) =>
        "to" in item ? (
          <Link key={item.label} to={item.to} className={styles.item}>
            {item.label}
          </Link>
        ) : (
          <button key={item.label} type="button" className={styles.item} onClick={item.onSelect}>
            {item.label}
          </button>
        ),
      )}
    </section>
  );
}
