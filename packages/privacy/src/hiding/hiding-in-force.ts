import type { Action, PrivacyDocument } from '@mandate/schemas';
import { compileHiding, type Hiding, type HidingMeans } from './compile-hiding.ts';

/** @param redact the names of secrets, which are hidden whatever the document says */
export type HidingInForce = HidingMeans & { redact(action: Action): Action };

/** Hides as the document says that holds when it is asked. */
export function hidingInForce(
  file: { privacy(): PrivacyDocument },
  { redact, ...means }: HidingInForce,
): Hiding {
  let document = file.privacy();
  let hide = compileHiding(document, means);
  return (action, tenant) => {
    if (file.privacy() !== document) {
      document = file.privacy();
      hide = compileHiding(document, means);
    }
    return hide(redact(action), tenant);
  };
}
