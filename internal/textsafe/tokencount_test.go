package textsafe

import (
	"testing"
)

// The counts are o200k's, of the text as it stands here.
func TestCountIsCloseToATokenizer(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want int
	}{
		"prose":                {"The meeting went better than we had feared. Everybody had read the proposal, and the questions were about the details: who keeps the budget, what happens when the supplier is late again, and whether the second warehouse is needed before summer. We agreed to try it for three months and to look at the numbers together afterwards.", 64},
		"a page as it is read": {"# Plans <roam uid=\"Pq3_x8LmZ\" refs=\"12\"/>\n\n- {{[[TODO]]}} Call [[Ana Ruiz]] about the offer <roam uid=\"0A-13HYtz\"/>\n  - She is back on [[November 24th, 2026]] <roam uid=\"wv7TnQ2aB\"/>\n- See ((k4B2xY9pL))<ref>ship it before the fair</ref> <roam uid=\"5gmYSjDHk\" refs=\"2\"/>\n- #idea A shelf for the tools in the workshop <roam uid=\"hh-9KdPw1\"/>\n", 139},
		"short blocks":         {"- milk <roam uid=\"a8Xk2PqLm\"/>\n- eggs <roam uid=\"Zt-4_nRw9\"/>\n- ok <roam uid=\"mN3vB7cXz\"/>\n- TODO <roam uid=\"Qw8eRt5Yu\"/>\n- call Ana <roam uid=\"pL0oKi9Ju\"/>\n", 79},
		"a list of uids":       {"{\"uids\":[\"a8Xk2PqLm\",\"Zt-4_nRw9\",\"mN3vB7cXz\",\"Qw8eRt5Yu\",\"pL0oKi9Ju\",\"0A-13HYtz\",\"wv7TnQ2aB\",\"k4B2xY9pL\",\"5gmYSjDHk\",\"hh-9KdPw1\"]}", 87},
		"Chinese":              {"人工智能是计算机科学的一个分支，它研究怎样让机器像人一样思考和学习。今天的会议讨论了项目的进度和预算，下周我们要准备一份报告。", 43},
		"Russian":              {"Сегодня мы обсуждали план проекта и решили, что срок нужно перенести на следующую неделю. Задачи распределены между участниками.", 28},
		"German":               {"Heute haben wir den Projektplan besprochen und beschlossen, den Abgabetermin auf die nächste Woche zu verschieben. Die Aufgaben sind verteilt.", 29},
		"rows of a query":      {"{\"graph\":\"Work\",\"result\":[[\"roam/templates\",304],[\"Change Log\",775],[\"Block References\",96],[\"Navigation\",68],[\"Beating the Averages\",67]],\"total\":5}", 45},
		"code":                 {"func (s *Server) run(ctx context.Context, name string) error {\n\tif name == \"\" {\n\t\treturn errors.New(\"no name\")\n\t}\n\tfor i := range s.items {\n\t\ts.items[i].count++\n\t}\n\treturn nil\n}\n", 51},
	} {
		t.Run(name, func(t *testing.T) {
			got := CountTokens(tc.text)
			if low, high := tc.want*8/10, tc.want*13/10; got < low || got > high {
				t.Errorf("%d tokens, o200k has %d", got, tc.want)
			}
			if bytes := CountTokens([]byte(tc.text)); bytes != got {
				t.Errorf("%d for the text, %d for its bytes", got, bytes)
			}
		})
	}
}

func TestCountOfNothingIsNothing(t *testing.T) {
	if n := CountTokens(""); n != 0 {
		t.Errorf("%d", n)
	}
}

func FuzzCount(f *testing.F) {
	f.Add("Buy milk <roam uid=\"0A-13HYtz\"/>", "买牛奶")
	f.Add("\xff\xfe", "a\x00b")
	f.Fuzz(func(t *testing.T, a, b string) {
		if CountTokens(a) > len(a)+len([]rune(a)) || CountTokens(a) < 0 {
			t.Errorf("%d tokens in %d bytes: %q", CountTokens(a), len(a), a)
		}
		if whole := CountTokens(a + b); whole+len(a)+len(b)+10 < CountTokens(a) {
			t.Errorf("%d tokens, of which %d are in a part: %q", whole, CountTokens(a), a+b)
		}
	})
}
