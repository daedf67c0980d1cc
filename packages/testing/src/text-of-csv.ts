/** The text of a CSV cell, without the apostrophe that guards against formulas, by the rule of docs/operations.md. */
export function textOfCsv(cell: string): string {
  return cell.replace(/^'(?='*[\t\r\n])/, '').replace(GUARDED, '$1');
}

const GUARDED = /((?:^|[;,|\t\r\n\v\f])[ "\t\r\n\v\f\0\u00a0\ufeff]*'*)'(?=[=+\-@＝＋－＠﹦﹢﹣﹫])/g;
