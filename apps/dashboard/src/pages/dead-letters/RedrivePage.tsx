import { Empty } from '../../kit/Empty';
import { Page } from '../../kit/Page';
import { deadLetters } from '../../text/dead-letters';

export default function RedrivePage() {
  return (
    <Page title={deadLetters.title}>
      <Empty />
    </Page>
  );
}
