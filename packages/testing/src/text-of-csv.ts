/** The text of a cell of CSV, without the apostrophes that guard against formulas: the rule of docs/operations.md. */
export function textOfCsv(cell: string): string {
  return cell.replace(/^'(?='*[\t\r\n])/, '').replace(GUARDED, '$1');
}

const GUARDED = /((?:^|[;,|\t\r\n\v\f])[ "\t\r\n\v\f\0\u00a0\ufeff]*'*)'(?=[=+\-@＝＋－＠﹦﹢﹣﹫])/g;
