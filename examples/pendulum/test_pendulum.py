from lft_pendulum import DOMAIN

from lft.testing import check_domain


def test_the_domain_keeps_the_contract() -> None:
    check_domain(DOMAIN)
