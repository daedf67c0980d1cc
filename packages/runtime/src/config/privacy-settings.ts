import { z } from 'zod';

/** The setting for the privacy document. Every process that publishes, decides or records needs the same document. */
export const privacySettings = z.object({
  PRIVACY_PATH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the privacy document, read again when it changes; privacy.yaml in the data folder when absent. Without a file, it redacts nothing',
    ),
});
