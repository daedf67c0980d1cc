/**
 * Returns the address of the page of the console that shows what an alert is about. The page only shows it: a person
 * answers an approval on the page, so a mail scanner that opens the link answers nothing.
 */
import type { Alert, Json } from '@mandate/schemas';

/** Slack refuses a button with an address above 3,000 characters. An approval id can be longer than that. */
const LONGEST_LINK = 2_000;

/** @param consoleUrl the address of the console without a slash at its end. null: there is no console, and no link */
export function consoleLink(consoleUrl: string | null, { facts }: Pick<Alert, 'facts'>): string | null {
  if (consoleUrl === null) return null;
  const { approvalId, decisionId, agentId } = facts;
  const links = [
    page(consoleUrl, 'approvals', approvalId),
    page(consoleUrl, 'decisions', decisionId),
    page(consoleUrl, 'agents', agentId),
  ];
  return links.find((link) => link !== null && link.length <= LONGEST_LINK) ?? `${consoleUrl}/system`;
}

function page(consoleUrl: string, kind: string, id: Json | undefined): string | null {
  if (typeof id !== 'string' || id === '' || !id.isWellFormed()) return null;
  // A browser reads these two ids as steps in the path, also when they are percent-encoded.
  if (id === '.' || id === '..') return null;
  return `${consoleUrl}/${kind}/${encodeURIComponent(id)}`;
}
