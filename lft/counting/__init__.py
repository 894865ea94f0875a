"""The counting suite: how many events does a model report, and when? One file per arrow of the data flow."""
