/** What the routes work on. */
import type { FollowedControl } from '@mandate/control-log';
import type { Clock } from '@mandate/runtime';

export type Control = {
  followed: Pick<FollowedControl, 'tenant' | 'tenants' | 'change'>;
  clock: Clock;
  /** Takes what is personal out of a text. */
  redactText(text: string): string;
};
