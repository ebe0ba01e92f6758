package main

import (
	"github.com/spf13/pflag"

	"roam-mcp/tui/kit"
)

// themeFlag is the value of --theme.
type themeFlag struct {
	background kit.Background
	name       string
}

var _ pflag.Value = (*themeFlag)(nil)

// String implements pflag.Value.
func (f *themeFlag) String() string { return f.name }

// Type implements pflag.Value.
func (f *themeFlag) Type() string { return "theme" }

// Set implements pflag.Value.
func (f *themeFlag) Set(name string) (err error) {
	f.background, err = kit.ParseTheme(name)
	f.name = name
	return err
}
