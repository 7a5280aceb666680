import { Empty } from '../../kit/Empty';
import { Page } from '../../kit/Page';
import { stuck } from '../../text/stuck';

export default function StuckPage() {
  return (
    <Page title={stuck.title}>
      <Empty />
    </Page>
  );
}
