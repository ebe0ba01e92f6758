package outline

import (
	"strings"
	"testing"
)

func TestWithStarts(t *testing.T) {
	for name, tc := range map[string]struct{ markdown, want string }{
		"of bullets in nests":                {"- a\n  - b\n\t* c", "- >a\n  - >b\n\t* >c"},
		"of numbers":                         {"1. a\n2) b", "1. >a\n2) >b"},
		"of paragraphs":                      {"a\nb\n\n  c", ">a\nb\n\n  >c"},
		"of a bullet with more lines":        {"- a\n  b\n\n  c", "- >a\n  b\n\n  c"},
		"not of code":                        {"```\n- a\n```\n- ```\n  - b\n  ```\n- c", "```\n- a\n```\n- ```\n  - b\n  ```\n- >c"},
		"not of tables":                      {"| a | b |\n|---|---|\n| c | d |", "| a | b |\n|---|---|\n| c | d |"},
		"of nothing":                         {"", ""},
		"with line ends as Windows has them": {"- a\r\n- b", "- >a\n- >b"},
	} {
		t.Run(name, func(t *testing.T) {
			got := WithStarts(tc.markdown, func(start string) string { return ">" + start })
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	t.Run("of bullets without text", func(t *testing.T) {
		if got := WithStarts("-\n- ", strings.ToUpper); got != "-\n- " {
			t.Errorf("got %q", got)
		}
	})
}
