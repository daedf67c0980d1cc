/** What the routes work on. */
import type { FollowedControl } from '@mandate/control-log';
import type { Clock } from '@mandate/runtime';

export type Control = {
  followed: Pick<FollowedControl, 'tenant' | 'tenants' | 'change'>;
  clock: Clock;
  /** Whether a key of the tenant is, or was, in a file: then people work in it, of whom the log knows nothing. */
  hasFileKeys(tenant: string): Promise<boolean>;
  /** Takes what is personal out of a text. */
  redactText(text: string): string;
};
