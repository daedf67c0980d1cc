/** Checks the triggers of intents. Exactly one intent is the fallback, and each other intent has a trigger. */
import type { ManifestDocument } from '@mandate/schemas/manifest';
import { type Found, found } from '../fault.ts';

export function intentFaults({ intents }: ManifestDocument): Found[] {
  const fallbacks = intents.flatMap(({ triggers }, at) => (triggers.fallback ? [at] : []));
  return [
    ...(fallbacks.length === 0
      ? [
          found(
            'FALLBACK_MISSING',
            ['intents'],
            'has no fallback: give one intent `triggers: { fallback: true }`',
          ),
        ]
      : []),
    ...fallbacks
      .slice(1)
      .map((at) =>
        found(
          'FALLBACK_TWICE',
          ['intents', at, 'triggers', 'fallback'],
          `must not be true, because the intent "${intents[fallbacks[0] ?? 0]?.id}" is the fallback already`,
        ),
      ),
    ...intents.flatMap(({ triggers: { keywords, patterns, fallback } }, at) =>
      fallback || keywords.length > 0 || patterns.length > 0
        ? []
        : [
            found(
              'INTENT_WITHOUT_TRIGGER',
              ['intents', at, 'triggers'],
              'has neither keywords nor patterns, so no text shows this intent: add one',
            ),
          ],
    ),
  ];
}
