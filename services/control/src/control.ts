/** What the routes work on. */
import type { FollowedControl } from '@mandate/control-log';
import type { HidingRules } from '@mandate/privacy';
import type { Clock } from '@mandate/runtime';
import type { ApiKeyRecord } from '@mandate/schemas';
import type { ControlThread } from './thread/open-control-thread.ts';

export type Control = {
  followed: Pick<FollowedControl, 'tenant' | 'tenants' | 'change'>;
  /** Does the long work on documents. */
  apart: ControlThread;
  clock: Clock;
  /** Keys of the tenant that stand in a file and not on the log, revoked ones among them. */
  fileKeys(tenant: string): Promise<readonly ApiKeyRecord[]>;
  /** What a gateway hides of an action before it is decided on; now. */
  hiding(): HidingRules;
  /** Takes what is personal out of a text. */
  redactText(text: string): string;
};
