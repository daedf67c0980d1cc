/**
 * Returns the text of a CSV cell without the apostrophe that guards against formulas. docs/operations.md has the
 * rule.
 */
export function textOfCsv(cell: string): string {
  return cell.replace(/^'(?='*[\t\r\n])/, '').replace(GUARDED, '$1');
}

const GUARDED = /((?:^|[;,|\t\r\n\v\f])[ "\t\r\n\v\f\0\u00a0\ufeff]*'*)'(?=[=+\-@＝＋－＠﹦﹢﹣﹫])/g;
