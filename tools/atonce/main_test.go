package main

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestATestIsListed(t *testing.T) {
	const bare = "package p\n"
	for name, c := range map[string]struct {
		product, test string
		folder        string
		listed        bool
	}{
		"if it starts a goroutine":        {test: "func TestIt() { go work() }", listed: true},
		"if it starts one in a group":     {test: "func TestIt() { group.Go(work) }", listed: true},
		"if it runs beside others":        {test: "func TestIt(t *testing.T) { t.Parallel() }", listed: true},
		"if it runs in a bubble":          {test: "func TestIt(t *testing.T) { synctest.Test(t, work) }", listed: true},
		"if its helper's helper does":     {test: "func TestIt() { help() }\nfunc help() { x.more() }\nfunc (x) more() { go work() }", listed: true},
		"if its helper is only passed on": {test: "func TestIt() { run(help) }\nfunc help() { go work() }", listed: true},
		"if the code that it tests does":  {product: "func Serve() { go work() }", test: "func TestIt() { p.Serve() }", listed: true},
		"unless all tests run a server":   {product: "func Serve() { go work() }", test: "func TestIt() { p.Serve() }", folder: "mcpserve"},
		"or start more than a server":     {product: "func Serve() {}", test: "func TestIt() { p.Serve(); go work() }", folder: "mcpserve", listed: true},
		"not if another test does":        {test: "func TestIt() { help() }\nfunc help() {}\nfunc other() { go help() }"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := c.folder
			if folder == "" {
				folder = "p"
			}
			root := fstest.MapFS{
				folder + "/p.go":               {Data: []byte(bare + c.product)},
				folder + "/p_test.go":          {Data: []byte(bare + c.test)},
				folder + "/p_campaign_test.go": {Data: []byte("//go:build campaign\n\n" + bare + "func TestCampaign() { go work() }")},
			}
			tests, err := atOnce(root, folder)
			if err != nil {
				t.Fatal(err)
			}
			if listed := slices.Equal(tests, []string{"TestIt"}); listed != c.listed || !listed && len(tests) > 0 {
				t.Errorf("listed: %q", tests)
			}
		})
	}
}
