/** Decides whether the builder runs for a request at all. */
import type { BuilderStep } from './build-record.ts';

export type SkipReason = NonNullable<BuilderStep['skip_reason']>;

type Skippable = {
  channel?: { scratchpad_template?: string | undefined } | null | undefined;
  clarificationTurn?: boolean | undefined;
};

/** Returns why the request is skipped: the first reason that applies. Null: the builder runs. */
export function skipReasonOf(enabled: boolean, { channel, clarificationTurn }: Skippable): SkipReason | null {
  if (!enabled) return 'flag_disabled';
  if (channel?.scratchpad_template === 'none') return 'channel_override_none';
  return clarificationTurn === true ? 'clarification_turn' : null;
}
